import { readRun } from '../../store/read-runs.js';
import type { Rows } from '../../store/rows.js';
import { noRun, ProblemError } from '../problems.js';

/** More than any run has above it. */
const DEPTH_MAX = 100;

type Submitted = { readonly principal: string | null; readonly parentRunId: string | null };
export type SubmissionOf = (runId: string) => Promise<Submitted | null>;

/** Throws where somebody has submitted a run, or one that it comes from: lanes submit children, for whoever began it all. */
export const mustNotHaveSubmitted = async (db: Rows, runId: string, principal: string): Promise<void> =>
  mustBeSomebodyElse((id) => readRun(db, id), runId, principal);

export const mustBeSomebodyElse = async (of: SubmissionOf, runId: string, principal: string): Promise<void> => {
  let next: string | null = runId;
  for (let depth = 0; next !== null && depth <= DEPTH_MAX; depth += 1) {
    const run: Submitted | null = await of(next);
    // A parent may be gone by retention, or not be projected yet: then nobody can say whose it was.
    if (run === null) throw noRun(next);
    if (run.principal === principal) throw samePerson(principal, next);
    next = run.parentRunId;
  }
};

const samePerson = (principal: string, runId: string): ProblemError =>
  new ProblemError(403, {
    code: 'same_person',
    detail: `${principal} has submitted ${runId}, and so does not answer its questions.`,
    advice: 'Somebody else with the role approver answers them.',
  });
