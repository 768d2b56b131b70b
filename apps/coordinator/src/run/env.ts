import type { CatalogueEntry } from '@holdfast/contracts';
import type { Digest } from '@holdfast/events';
import type { Rules } from './rules.js';

/** All that a decision may know besides the state: facts from outside, taken at one moment. Plain data. */
export type Env = {
  /** Epoch ms. */
  readonly now: number;
  readonly lane: number;
  readonly lanes: number;
  readonly settings: Settings;
  readonly rules: Rules;
  readonly digest: Digest;
  readonly catalogue: ReadonlyMap<string, CatalogueEntry>;
  readonly fleet: FleetView;
  /** First claims that are known, by attempt id: a level, read over an unbroken range. */
  readonly firsts: ReadonlyMap<string, FirstClaim>;
  /** Sessions that are gone, after the claims and the journal were read to an end fetched afterwards. */
  readonly lost: ReadonlyMap<string, LostSession>;
  /** Attempts that an executor refused: they ask to be closed. */
  readonly refused: ReadonlySet<string>;
  /** Every answer that was given before this moment is known, epoch ms. */
  readonly answersReadAt: number;
};

export type FirstClaim =
  | { readonly kind: 'claimed'; readonly session: string; readonly deadline: number; readonly offset: number }
  | { readonly kind: 'closed'; readonly offset: number }
  /** The range of claims can no longer be read: never absent. */
  | { readonly kind: 'unreadable' };

export type LostSession = {
  readonly cause: 'session_ended' | 'session_expired';
  /** When the end was seen, epoch ms by the broker's clock; null for an expiry. */
  readonly endedAt: number | null;
  /** A clean stop after the last outcome; not a death. */
  readonly clean: boolean;
};

/** Which queues are served, by living sessions with fresh heartbeats. */
export type FleetView = { readonly queues: Readonly<Record<string, QueueView>> };
export type QueueView = {
  /** Served partitions with a known end of their claims: the `claimsFrom` of what is scheduled now. */
  readonly partitions: readonly ServedPartition[];
  readonly slots: number;
  /** Lanes that want places in this queue, this one included. */
  readonly lanesWanting: number;
};

export type ServedPartition = {
  readonly partition: number;
  readonly claimsEnd: number;
  /** Tools of those who serve this partition: in a rolling deploy they differ. */
  readonly tools: ReadonlySet<string>;
};

/** Times in ms. */
export type Settings = {
  readonly startByMs: number;
  readonly graceMs: number;
  readonly skewMs: number;
  readonly settleByMs: number;
  readonly escalationMs: number;
  readonly cancelMs: number;
  /** So long before the deadline of a cancel the run is ended: the end must be history by then. */
  readonly endLeadMs: number;
  readonly runMs: number;
  readonly probesMax: number;
  readonly decisionBytes: number;
  /** A snapshot of the lane is taken after so many events; 0: none is taken or used. */
  readonly snapshotEvents: number;
  readonly snapshotEveryMs: number;
  /** Of how many runs there is a trace, 0 to 1, where their submitter does not say; none where absent. */
  readonly traceRatio?: number;
};
