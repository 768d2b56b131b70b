import type { RunEventData } from '../run/run.events.js';
import type { LiveRun } from '../run/run.state.js';
import { amountsBeyond } from './amounts.js';
import { withBudget } from './budget.evolve.js';

export const applyGrantAsked = (run: LiveRun, { tenant, ask, need, askedAt }: RunEventData<'GrantAsked'>): LiveRun =>
  withBudget(run, {
    grant: {
      tenant,
      ask,
      open: true,
      askedAt,
      wanted: amountsBeyond(need, run.spent),
      total: run.budget.grant?.total ?? null,
      denied: null,
    },
  });

export const applyGrantReceived = (run: LiveRun, data: RunEventData<'GrantReceived'>): LiveRun => {
  const { tenant, ask, total, denied } = data;
  const { askedAt, wanted } = run.budget.grant ?? { askedAt: 0, wanted: {} };
  return withBudget(run, { grant: { tenant, ask, open: false, askedAt, wanted, total, denied } });
};
