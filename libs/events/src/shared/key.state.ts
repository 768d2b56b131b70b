import { DEFAULTS } from '../limits.js';
import type { RunTicket } from '../run/key.events.js';

/** A concurrency key, as its lane has it: who has it, who waits in which order, and what was seen. */
export type KeyState = {
  readonly holder: Claimant | null;
  /** When the holder was last told, epoch ms. */
  readonly assignedAt: number;
  readonly queue: readonly Claimant[];
  /** How many claims were taken in so far: a claimant with a lower number is older. */
  readonly claims: number;
  /** The highest generation that was seen, and who brought it. */
  readonly highest: { readonly generation: number; readonly runId: string } | null;
  /** Nobody has it and nobody waits: forgotten then, epoch ms. */
  readonly until: number | null;
};

export type Claimant = RunTicket & {
  readonly no: number;
  readonly generation: number | null;
  /** It goes before those that are older than it. */
  readonly front: boolean;
};

export type Keys = Readonly<Record<string, KeyState>>;

export const freeKey: KeyState = { holder: null, assignedAt: 0, queue: [], claims: 0, highest: null, until: null };

/** When time alone leads to something for a key, epoch ms. */
export const keyDue = ({ holder, queue, assignedAt, until }: KeyState): number => {
  if (holder === null) return until ?? Infinity;
  return queue.length === 0 ? Infinity : assignedAt + DEFAULTS.keyAskAgainMs;
};

const dues = new WeakMap<Keys, number>();

/** The same for all of them: looked for once, as long as no key changes. */
export const nextKeyDue = (keys: Keys): number => {
  const known = dues.get(keys);
  if (known !== undefined) return known;
  const due = Object.values(keys).reduce((first, one) => Math.min(first, keyDue(one)), Infinity);
  dues.set(keys, due);
  return due;
};

export const isSameRun = (one: RunTicket | null, other: RunTicket): boolean =>
  one !== null && one.runId === other.runId && one.ticket === other.ticket;

/** The key as it stands, with what was seen of it; one that nobody knows is free. */
export const keyStateOf = (keys: Keys, key: string): KeyState =>
  (Object.hasOwn(keys, key) ? keys[key] : null) ?? freeKey;
