import type { LiveRun } from '../run/run.state.js';
import { addAmounts, amountsBeyond, type Amounts } from './amounts.js';
import { ITSELF } from './child.js';

/** What a run has used and reserved out of its own grant. */
export const spentOfGrant = ({ spent, budget: { grant } }: LiveRun): Amounts =>
  grant === null ? spent : amountsBeyond(spent, grant.elsewhere);

/** A child with a grant of its own is counted here for itself alone, and what it uses is not. */
export const countElsewhere = (run: LiveRun, before: Amounts, after: Amounts): LiveRun => {
  const { grant } = run.budget;
  if (grant === null) return run;
  const left = amountsBeyond(grant.elsewhere, amountsBeyond(before, ITSELF));
  const elsewhere = addAmounts(left, amountsBeyond(after, ITSELF));
  return { ...run, budget: { ...run.budget, grant: { ...grant, elsewhere } } };
};
