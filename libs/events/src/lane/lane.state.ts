import type { RunState } from '../run/run.state.js';
import { emptyShared, type Shared } from '../shared/shared.state.js';
import type { Reply } from './lane.events.js';

/** What folding a lane keeps. `runs` and `requests` are the fold's mutable things; run states are immutable. */
export type LaneState = {
  epoch: number;
  /** Number of the last valid record; -1 before the first. */
  seq: number;
  owner: string | null;
  /** The batch under way while its records are folded one by one. */
  batch: { readonly first: number; readonly size: number } | null;
  /** Next offsets of the input topics. */
  positions: Record<string, number>;
  reactedSeq: number;
  /** Lane time, epoch ms: the latest `LaneAdvanced.at`. */
  at: number;
  chain: string;
  readonly runs: Map<string, RunEntry>;
  /** What the lane holds beside its runs. */
  shared: Shared;
  /** Requests that were decided, by `requestKey`, with the answer that was given; oldest first. */
  readonly requests: Map<string, KnownRequest>;
  /** Ended runs in the order of their end, to be forgotten in that order. */
  readonly endedRuns: { readonly runId: string; readonly endedAt: number }[];
  /** Digests of the last records, by seq: a repeat must have the same bytes. */
  readonly recent: Map<number, string>;
  readonly counts: { valid: number; void: number; repeated: number };
};

export type RunEntry = { readonly run: RunState; readonly prev: string };
/** Events that accept a request, and by which it is known from then on. */
export const acceptingEvents = [
  'RunAccepted',
  'CancelRequested',
  'CancelRemembered',
  'EscalationAnswered',
  'KillRequested',
  'RunPaused',
  'RunResumed',
  'RunSteered',
  'BulkCancelRequested',
  'TenantBudgetSet',
] as const;
export type AcceptingEvent = (typeof acceptingEvents)[number];

export type KnownRequest = {
  readonly runId: string;
  readonly at: number;
  /** The event that accepted it; null where only a reply was given. */
  readonly acceptedBy: AcceptingEvent | null;
  readonly reply: Reply;
};

/** Hash before the first record of a lane. */
export const CHAIN_START = '';

export const newLane = (): LaneState => ({
  epoch: 0,
  seq: -1,
  owner: null,
  batch: null,
  positions: {},
  reactedSeq: -1,
  at: 0,
  chain: CHAIN_START,
  runs: new Map(),
  shared: emptyShared,
  requests: new Map(),
  endedRuns: [],
  recent: new Map(),
  counts: { valid: 0, void: 0, repeated: 0 },
});
