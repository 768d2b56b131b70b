import type { CatalogueEntry, JournalRecord, RefusalCode, Request, Verdict } from '@holdfast/contracts';
import type {
  Digest,
  HistoryRecord,
  LaneAnchor,
  LaneCapture,
  LaneState,
  RestoredLane,
  RunEntry,
  Unreacted,
} from '@holdfast/events';
import type { FirstClaim, FleetView, LostSession, Settings } from '../run/env.js';
import type { Rules } from '../run/rules.js';
import type { Reaction } from '../run/run.react.js';

/** Facts from outside that come with every input. Plain data, taken at one moment. */
export type Facts = {
  /** Epoch ms. */
  readonly now: number;
  readonly catalogue: ReadonlyMap<string, CatalogueEntry>;
  readonly fleet: FleetView;
};

/** What never changes while a lane is served. */
export type LaneSetting = {
  readonly lane: number;
  readonly lanes: number;
  /** Random id of this process life. */
  readonly owner: string;
  readonly settings: Settings;
  readonly rules: Rules;
  readonly digest: Digest;
};

/** One thing that has arrived on an input topic, with the position after it. */
export type Arrival = { readonly topic: string; readonly next: number; readonly bytes: number; readonly work: Work };
export type Work =
  /** `runKey` was drawn at random on arrival; it is used only if the run is accepted. */
  | { readonly kind: 'request'; readonly request: Request; readonly at: number; readonly runKey: string }
  | { readonly kind: 'journal'; readonly word: JournalRecord }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  /** Could not be read, but it says whom to answer. */
  | {
      readonly kind: 'refuse';
      readonly requestId: string;
      readonly runId: string;
      readonly code: RefusalCode;
      readonly message: string;
      /** The submission that is refused, as far as it is known: who has begun the run is told. */
      readonly submission?: Request;
    }
  /** Records of the topic that nobody read are no longer kept, and a person has accepted it. */
  | { readonly kind: 'lost'; readonly from: number; readonly to: number; readonly acceptedBy: string }
  /** Dead-lettered or passed on to its lane, acknowledged; only the position moves. */
  | { readonly kind: 'pass' };

export type RawRecord = { readonly offset: number; readonly value: Uint8Array | null };

export type LaneInput =
  | { readonly type: 'SeatGranted' }
  | { readonly type: 'SeatLost' }
  /** What `ReadSnapshot` has found; null where history has to be folded from where the lane stands. */
  | { readonly type: 'SnapshotRead'; readonly restored: RestoredLane | null }
  /** The one that was taken last is written, or given up. */
  | { readonly type: 'SnapshotClosed' }
  | {
      readonly type: 'HistoryRead';
      readonly records: readonly RawRecord[];
      readonly next: number;
      readonly end: number;
    }
  | { readonly type: 'HistoryAppended'; readonly answer: AppendAnswer }
  /** `term` tells arrivals of this term of office from older ones. */
  | { readonly type: 'Arrived'; readonly term: number; readonly arrivals: readonly Arrival[] }
  | { readonly type: 'ClaimsKnown'; readonly claims: readonly (readonly [attemptId: string, first: FirstClaim])[] }
  | { readonly type: 'SessionLost'; readonly session: string; readonly loss: LostSession }
  /** It had expired and heartbeats again. */
  | { readonly type: 'SessionBack'; readonly session: string }
  /** All that stood in the lane's requests at this moment has arrived. */
  | { readonly type: 'RequestsRead'; readonly at: number }
  | { readonly type: 'Reacted'; readonly through: number }
  | { readonly type: 'Tick' };

export type AppendAnswer =
  | { readonly outcome: 'appended'; readonly offset: number }
  | { readonly outcome: 'refused'; readonly detail: string }
  | { readonly outcome: 'unknown' };

export type WatchedAttempt = {
  readonly attemptId: string;
  readonly queue: string;
  readonly partition: number;
  readonly claimsFrom: number;
  readonly startBy: number;
};

export type LaneOutput =
  /** Only one that goes beyond this offset is of use. */
  | { readonly type: 'ReadSnapshot'; readonly beyond: number }
  /** Followed by reading from the first record: what was folded on from it contradicts it. */
  | { readonly type: 'DropSnapshot'; readonly reason: string }
  | { readonly type: 'TakeSnapshot'; readonly anchor: LaneAnchor; readonly capture: LaneCapture }
  | { readonly type: 'ReadHistory'; readonly from: number }
  /** `pauseMs` before it is sent, so that a lane that lost a race does not spin. */
  | {
      readonly type: 'AppendHistory';
      readonly values: readonly Uint8Array[];
      readonly keys: readonly (string | null)[];
      readonly pauseMs: number;
    }
  | { readonly type: 'FollowInputs'; readonly term: number; readonly positions: Readonly<Record<string, number>> }
  | { readonly type: 'StopInputs' }
  | { readonly type: 'React'; readonly reactions: readonly Reaction[]; readonly through: number }
  | { readonly type: 'Watch'; readonly attempts: readonly WatchedAttempt[] }
  | { readonly type: 'Unwatch'; readonly attemptIds: readonly string[] }
  | { readonly type: 'Close'; readonly attempts: readonly WatchedAttempt[] }
  /** A question's time is over: whoever answered before stands in the requests, which may not have been read. */
  | { readonly type: 'ReadRequests' }
  /** The lane stops for good: a person must look. Other lanes go on. */
  | { readonly type: 'StopLane'; readonly reason: string };

export type Prepared = { readonly record: HistoryRecord; readonly value: Uint8Array; readonly digest: string };

/** A batch that was sent and is not yet known to be history. */
export type Flight = {
  readonly kind: 'acquire' | 'batch';
  readonly epoch: number;
  readonly first: number;
  readonly prepared: readonly Prepared[];
  /** Run states after the batch, and the digest of each run's last record in it. */
  readonly runs: ReadonlyMap<string, RunEntry>;
  readonly chain: string;
  readonly reactions: readonly Reaction[];
  /** Arrivals whose consequences are in the batch. */
  readonly taken: number;
  /** The moment that its decisions knew, epoch ms. */
  readonly decidedAt: number;
};

/** The coordinator's lane as plain data. */
export type LaneMachine = {
  readonly setting: LaneSetting;
  phase: 'unseated' | 'reading' | 'acquiring' | 'leading' | 'stopped';
  lane: LaneState;
  /** Offset where the next append lands if nobody else has written: everything before it is folded. */
  next: number;
  flight: Flight | null;
  /** An answer to `ReadHistory` is awaited; others are left over from what was given up. */
  reading: boolean;
  /** An answer to `ReadSnapshot` is awaited. */
  seeking: boolean;
  /** It goes on from a snapshot, and nothing of its own has been written since. */
  isRestored: boolean;
  /** When the last snapshot was taken: the lane's number and epoch ms; and whether that is still being written. */
  snapshot: { readonly seq: number; readonly at: number; readonly open: boolean };
  /** Reading the gap after an append that landed elsewhere: up to this offset. */
  readTo: number | null;
  /** Races lost in a row, for the pause before the next try. */
  racesLost: number;
  term: number;
  inbox: Arrival[];
  /** Events whose reactions are not known to be acknowledged. */
  unreacted: Unreacted[];
  reactedSeq: number;
  /** The last number that called for a reaction: once it is acknowledged, history should say so. */
  reactionSeq: number;
  advancedAt: number;
  readonly live: Map<string, LiveRunFacts>;
  /** Attempts that are out, by queue: the sum over `live`. */
  readonly outstanding: Map<string, number>;
  readonly dirty: Set<string>;
  readonly starved: Set<string>;
  /** Tenants of which not all runs that wait were looked at yet. */
  unserved: ReadonlySet<string>;
  readonly firsts: Map<string, FirstClaim>;
  readonly lost: Map<string, LostSession>;
  readonly refused: Set<string>;
  readonly closing: Set<string>;
  /** Every request that was written before this moment has arrived, epoch ms. */
  requestsReadAt: number;
  /** Runs about which no decision can be made, with the reason: a defect of the runtime that holds up nobody else. */
  readonly broken: Map<string, string>;
  spread: number;
};

/** What the machine remembers of a live run besides its state. All of it can be derived again. */
export type LiveRunFacts = {
  readonly due: number;
  readonly decidedAt: number;
  readonly outstanding: Readonly<Record<string, number>>;
  readonly watched: ReadonlySet<string>;
};
