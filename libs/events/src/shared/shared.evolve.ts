import {
  applyGrantForgotten,
  applyGrantGiven,
  applyGrantQueued,
  applyGrantSettled,
  applyTenantBudgetSet,
} from '../budget/tenant.evolve.js';
import { Defect, unreachable } from '../defect.js';
import { evolveKeys } from './key.evolve.js';
import type { SharedEvent } from './shared.events.js';
import { cancelKey, type Shared } from './shared.state.js';
import { entryOf, withEntry, withoutEntry } from './table.js';

/** What a lane holds beside its runs, after an event. Knows every event, makes no choice. */
export const evolveShared = (shared: Shared, event: SharedEvent): Shared => {
  switch (event.type) {
    case 'CancelRemembered':
      return { ...shared, cancels: withEntry(shared.cancels, cancelKey(event.data), event.data, event.data.until) };
    case 'CancelForgotten':
      return { ...shared, cancels: forgotten(shared.cancels, cancelKey(event.data)) };
    case 'ChildRefused':
      return shared;
    case 'KeyAssigned':
    case 'KeyQueued':
    case 'KeyRefused':
    case 'KeyFreed':
    case 'KeyForgotten':
    case 'KeyReturned': {
      const keys = evolveKeys(shared.keys, event);
      return keys === shared.keys ? shared : { ...shared, keys };
    }
    case 'BulkCancelRequested':
    case 'BulkCancelAdvanced':
    case 'BulkCancelEnded':
      return { ...shared, bulkCancels: evolveBulkCancels(shared.bulkCancels, event) };
    case 'TenantBudgetSet':
      return applyTenantBudgetSet(shared, event.data);
    case 'GrantGiven':
      return applyGrantGiven(shared, event.data);
    case 'GrantQueued':
      return applyGrantQueued(shared, event.data);
    case 'GrantSettled':
      return applyGrantSettled(shared, event.data);
    case 'GrantForgotten':
      return applyGrantForgotten(shared, event.data);
    default:
      return unreachable(event);
  }
};

const forgotten = (cancels: Shared['cancels'], name: string): Shared['cancels'] => {
  if (entryOf(cancels, name) === undefined) throw new Defect(`nothing is remembered for ${name}`);
  return withoutEntry(cancels, name);
};

type BulkCancelEvent = Extract<SharedEvent, { type: `BulkCancel${string}` }>;

const evolveBulkCancels = (known: Shared['bulkCancels'], event: BulkCancelEvent): Shared['bulkCancels'] => {
  const { requestId } = event.data;
  if (event.type === 'BulkCancelRequested') return { ...known, [requestId]: { ...event.data, cancelled: 0 } };
  const bulk = Object.hasOwn(known, requestId) ? known[requestId] : undefined;
  if (bulk === undefined) throw new Defect(`no cancel of many runs ${requestId} is under way`);
  if (event.type === 'BulkCancelEnded') return without(known, requestId);
  return { ...known, [requestId]: { ...bulk, cancelled: event.data.cancelled } };
};

const without = <T>(known: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> => {
  const { [key]: _, ...rest } = known;
  return rest;
};
