import { amounts } from './budget.words.js';
import type { WordsFor } from './phrases.js';

export const tenantWords: WordsFor<
  'TenantBudgetSet' | 'GrantGiven' | 'GrantQueued' | 'GrantSettled' | 'GrantForgotten'
> = {
  TenantBudgetSet: (data) => `${data.principal ?? 'Somebody'} lets tenant ${data.tenant} use ${amounts(data.amounts)}.`,
  GrantGiven: ({ tenant, runId, total, denied }) =>
    denied === null
      ? `Tenant ${tenant} grants run ${runId} ${amounts(total)} in all.`
      : `Tenant ${tenant} grants run ${runId} no more: ${denied}.`,
  GrantQueued: ({ tenant, runId, need }) => `Run ${runId} asks tenant ${tenant} for a grant: ${amounts(need)}.`,
  GrantSettled: ({ tenant, runId, keeps, final }) =>
    `Run ${runId} of tenant ${tenant} is over and has used ${amounts(keeps)}${final ? '' : ', as far as is known yet'}.`,
  GrantForgotten: ({ tenant, runId }) => `Tenant ${tenant} no longer remembers run ${runId}.`,
};
