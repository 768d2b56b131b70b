/** An operation that no tool can be made of, and why. */
export class CannotMake extends Error {
  override readonly name = 'CannotMake';
}
