import { DEFAULTS } from '../limits.js';
import type { RunTicket } from '../run/key.events.js';
import { entryOf, type Table } from './table.js';

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

export type Keys = Table<KeyState>;

export const freeKey: KeyState = { holder: null, assignedAt: 0, queue: [], claims: 0, highest: null, until: null };

/** When time alone leads to something for a key, epoch ms. */
export const keyDue = ({ holder, queue, assignedAt, until }: KeyState): number => {
  if (holder === null) return until ?? Infinity;
  return queue.length === 0 ? Infinity : assignedAt + DEFAULTS.keyAskAgainMs;
};

export const isSameRun = (one: RunTicket | null, other: RunTicket): boolean =>
  one !== null && one.runId === other.runId && one.ticket === other.ticket;

/** The key as it stands, with what was seen of it; one that nobody knows is free. */
export const keyStateOf = (keys: Keys, key: string): KeyState => entryOf(keys, key) ?? freeKey;
