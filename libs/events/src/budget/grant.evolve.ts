import type { RunEventData } from '../run/run.events.js';
import type { LiveRun } from '../run/run.state.js';
import { amountsBeyond } from './amounts.js';
import { spentOfGrant } from './elsewhere.js';
import { withBudget } from './budget.evolve.js';

export const applyGrantAsked = (run: LiveRun, { tenant, ask, need, askedAt }: RunEventData<'GrantAsked'>): LiveRun =>
  withBudget(run, {
    grant: {
      tenant,
      ask,
      open: true,
      askedAt,
      wanted: amountsBeyond(need, spentOfGrant(run)),
      total: run.budget.grant?.total ?? null,
      denied: null,
      elsewhere: run.budget.grant?.elsewhere ?? {},
    },
  });

export const applyGrantReceived = (run: LiveRun, data: RunEventData<'GrantReceived'>): LiveRun => {
  const { tenant, ask, total, denied } = data;
  const { askedAt, wanted, elsewhere } = run.budget.grant ?? { askedAt: 0, wanted: {}, elsewhere: {} };
  return withBudget(run, { grant: { tenant, ask, open: false, askedAt, wanted, total, denied, elsewhere } });
};
