import { Defect } from '../defect.js';
import { freeKey, isSameRun, keyDue, keyStateOf, type Claimant, type Keys, type KeyState } from './key.state.js';
import type { SharedEventData, SharedEventOf } from './shared.events.js';
import { withEntry, withoutEntry } from './table.js';

export type KeyEvent = SharedEventOf<
  'KeyAssigned' | 'KeyQueued' | 'KeyRefused' | 'KeyFreed' | 'KeyForgotten' | 'KeyReturned'
>;

/** The keys of a lane after an event. */
export const evolveKeys = (keys: Keys, event: KeyEvent): Keys => {
  const { key } = event.data;
  const known = keyStateOf(keys, key);
  switch (event.type) {
    case 'KeyAssigned':
      return withKey(keys, key, assigned(known, event.data));
    case 'KeyQueued':
      return withKey(keys, key, queued(known, event.data));
    case 'KeyRefused':
      return known === freeKey ? keys : withKey(keys, key, refused(known, event.data));
    case 'KeyFreed':
      return freed(keys, known, event.data);
    case 'KeyForgotten':
      return withoutEntry(keys, key);
    case 'KeyReturned':
      return keys;
  }
};

const assigned = (known: KeyState, data: SharedEventData<'KeyAssigned'>): KeyState => {
  if (isSameRun(known.holder, data)) return { ...known, assignedAt: data.at };
  if (known.holder !== null)
    throw new Defect(`key ${data.key} was given to ${data.runId}, but ${known.holder.runId} has it`);
  const waiting = known.queue.find((claimant) => isSameRun(claimant, data));
  return {
    ...seen(known, data),
    holder: waiting ?? claimantOf(known, data, false),
    claims: known.claims + (waiting === undefined ? 1 : 0),
    assignedAt: data.at,
    queue: known.queue.filter((claimant) => claimant !== waiting),
    until: null,
  };
};

const queued = (known: KeyState, data: SharedEventData<'KeyQueued'>): KeyState => {
  const claimant = claimantOf(known, data, data.front);
  const queue = data.front ? [claimant, ...known.queue] : [...known.queue, claimant];
  return { ...seen(known, data), queue, claims: known.claims + 1 };
};

const refused = (known: KeyState, data: SharedEventData<'KeyRefused'>): KeyState => ({
  ...seen(known, data),
  queue: known.queue.filter((claimant) => !isSameRun(claimant, data)),
});

const freed = (keys: Keys, known: KeyState, data: SharedEventData<'KeyFreed'>): Keys => {
  const { key, until } = data;
  const holder = isSameRun(known.holder, data) ? null : known.holder;
  const queue = known.queue.filter((claimant) => !isSameRun(claimant, data));
  const idle = holder === null && queue.length === 0;
  if (idle && known.highest === null) return withoutEntry(keys, key);
  return withKey(keys, key, { ...known, holder, queue, until: idle ? until : null });
};

type Claim = SharedEventData<'KeyAssigned' | 'KeyQueued'>;

const claimantOf = ({ claims }: KeyState, { runId, ticket, generation }: Claim, front: boolean): Claimant => ({
  runId,
  ticket,
  no: claims,
  generation: generation ?? null,
  front,
});

const seen = (known: KeyState, { runId, generation }: Pick<Claim, 'runId' | 'generation'>): KeyState =>
  generation === undefined || generation <= (known.highest?.generation ?? -1)
    ? known
    : { ...known, highest: { generation, runId } };

const withKey = (keys: Keys, key: string, known: KeyState): Keys => withEntry(keys, key, known, keyDue(known));
