import { unreachable } from '../defect.js';
import type { RunEventOf } from '../run/run.events.js';
import type { LiveRun } from '../run/run.state.js';
import { applyBudgetChanged, applyBudgetExhausted, withBudget } from './budget.evolve.js';
import { budgetEventSchemas } from './budget.events.js';
import { applyGrantAsked, applyGrantReceived } from './grant.evolve.js';
import { applyLoopFound } from './loop.js';

export type BudgetEvent = RunEventOf<(typeof budgetEventSchemas)[number]['shape']['type']['value']>;

const types: ReadonlySet<string> = new Set(budgetEventSchemas.map((schema) => schema.shape.type.value));
export const isBudgetEvent = (event: { readonly type: string }): event is BudgetEvent => types.has(event.type);

/** A run after an event about what it may use. */
export const evolveBudget = (run: LiveRun, event: BudgetEvent): LiveRun => {
  switch (event.type) {
    case 'BudgetWarned':
      return withBudget(run, { warned: [...run.budget.warned, event.data.limit] });
    case 'BudgetExhausted':
      return applyBudgetExhausted(run, event.data);
    case 'BudgetChanged':
      return applyBudgetChanged(run, event.data);
    case 'IdleClockStarted':
      return withBudget(run, { idleSince: event.data.since });
    case 'LoopFound':
      return applyLoopFound(run, event.data);
    case 'GrantAsked':
      return applyGrantAsked(run, event.data);
    case 'GrantReceived':
      return applyGrantReceived(run, event.data);
    default:
      return unreachable(event);
  }
};
