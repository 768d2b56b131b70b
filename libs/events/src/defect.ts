/** A programming error or a contradictory history. Never an answer: the lane stops and a person looks. */
export class Defect extends Error {
  override readonly name = 'Defect';
}

/** Does not compile while a case is missing. */
export const unreachable = (value: never): never => {
  throw new Defect(`unknown case ${JSON.stringify(value)}`);
};
