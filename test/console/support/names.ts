/** The run that most tests look at: 5,000 steps, doubts, questions, budgets. */
export const BIG = 'documents-2026-11-30';
export const STEPS = 5_000;
