import { Defect, unreachable } from '../defect.js';
import { evolveKeys } from './key.evolve.js';
import type { SharedEvent } from './shared.events.js';
import { cancelKey, type Shared } from './shared.state.js';

/** What a lane holds beside its runs, after an event. Knows every event, makes no choice. */
export const evolveShared = (shared: Shared, event: SharedEvent): Shared => {
  switch (event.type) {
    case 'CancelRemembered':
      return { ...shared, cancels: { ...shared.cancels, [cancelKey(event.data)]: event.data } };
    case 'CancelForgotten':
      return { ...shared, cancels: without(shared.cancels, cancelKey(event.data)) };
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
    default:
      return unreachable(event);
  }
};

const without = <T>(known: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> => {
  if (!Object.hasOwn(known, key)) throw new Defect(`nothing is remembered for ${key}`);
  const { [key]: _, ...rest } = known;
  return rest;
};
