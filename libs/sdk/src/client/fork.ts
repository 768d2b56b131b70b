import {
  LIMITS,
  planFork as planOf,
  runFacts,
  type ForkPlan,
  type ForkWish,
  type HistoryRecord,
  type Json,
} from '@holdfast/events';
import { ClientError } from './client-error.js';
import type { Asking, Submission } from './client.js';

/** `runId` is that of the new run. What is not said is as in the old one; its budget is that of its program. */
export type Forking = Partial<ForkWish> &
  Pick<Submission, 'labels' | 'deadlineMs' | 'budget' | 'tenant' | 'generation' | 'validUntil'> &
  Asking & { readonly runId: string };

/** A fork would make effects twice that nobody has named, or cannot be made at all; `plan` says which. */
export class ForkRefused extends ClientError {
  override readonly name = 'ForkRefused';
  constructor(readonly plan: ForkPlan) {
    super('refused', `run ${plan.runId} cannot be forked so: ${plan.refused ?? ''}`);
  }
}

/** What a fork of a run would take over and do again; rejects with `ClientError` where nobody knows the run. */
export const planFork = (runId: string, records: readonly HistoryRecord[], wish: Partial<ForkWish>): ForkPlan => {
  if (records.length === 0) throw new ClientError('unknown_run', `there is no run ${runId}`);
  const { from = null, repeat = [] } = wish;
  if (repeat.length > LIMITS.forkRepeatMax) {
    const message = `at most ${LIMITS.forkRepeatMax} steps may be named; file[*].write names that step of every item`;
    throw new ClientError('invalid_request', message);
  }
  return planOf(records, { from, repeat });
};

/** The submission that forks a run, out of its history. Throws `ForkRefused` where an effect would be made twice. */
export const forkSubmission = (of: string, records: readonly HistoryRecord[], forking: Forking): Submission => {
  const { from, repeat = [], runId, ...asked } = forking;
  const plan = planFork(of, records, { from: from ?? null, repeat });
  if (plan.refused !== null) throw new ForkRefused(plan);
  const { accepted } = runFacts(records);
  const { program, input, labels, concurrency, generation, validUntil } = accepted;
  const { approvals, escalations, compensate, loops, tenant } = accepted;
  const inherited = { concurrency, generation, validUntil, approvals, escalations, compensate, loops, tenant };
  const known = Object.fromEntries(Object.entries(inherited).filter(([, value]) => value !== undefined));
  const fork = { runId: of, seq: plan.seq, from: plan.from, repeat: [...repeat], progress: plan.progress };
  return { ...known, labels, ...asked, runId, program: program as unknown as Json, input, fork } as Submission;
};
