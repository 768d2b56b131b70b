/** A tool that cannot be registered. The message names the tool and what to add or change. */
export class InvalidTool extends Error {
  override readonly name = 'InvalidTool';
}
