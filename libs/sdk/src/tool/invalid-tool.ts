/** A tool that cannot be registered. The message names the tool and what to add or change. */
export class InvalidTool extends Error {
  override readonly name = 'InvalidTool';
}

/** Tools that cannot be had now and perhaps later, as whoever describes them does not answer: no reason to give up. */
export class ToolsNotReady extends Error {
  override readonly name = 'ToolsNotReady';
}
