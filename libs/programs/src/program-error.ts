/** A path that the plan does not have, or a change that cannot follow the progress: a contradiction, never an answer. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

/** Does not compile while a case is missing. */
export const unreachable = (value: never): never => {
  throw new ProgramError(`unknown case ${JSON.stringify(value)}`);
};
