/** What keeps rows right whoever writes them. Only tests switch a rule off, to show that it matters. */
export type Rules = {
  /** Rows are written only where the position is where the writer believes it to be. */
  readonly comparePosition: boolean;
};

export const RULES: Rules = Object.freeze({ comparePosition: true });
