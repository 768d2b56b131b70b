import type { JournalRecord, StepOrder, Verdict } from '@holdfast/contracts';
import type { LaneMachine, WatchedAttempt, Work } from '../../../apps/coordinator/src/lane/lane.types.js';
import type { Reaction } from '../../../apps/coordinator/src/run/run.react.js';
import type { AbortReason, ClaimContent } from '../../../apps/executor/src/session/session.messages.js';
import type { ClaimData, ExecutorState } from '../../../apps/executor/src/session/session.state.js';
import type { Judgement } from '../../../apps/reconciler/src/doubt/doubt.verdict.js';
import type { DoubtView } from '../../../apps/reconciler/src/doubt/doubt.view.js';
import type { ReconcilerState } from '../../../apps/reconciler/src/doubt/doubt.state.js';
import type { Effect } from '../../support/invariants/evidence.js';
import type { Cell } from '../engine/cell.js';

/** A partition of the log: each entry is a cell. */
export type Log<T> = readonly Cell<T>[];

/** Everything there is at one moment. Each part is a cell, so a state is a short list of numbers. */
export type World = {
  readonly now: Cell<number>;
  readonly history: Cell<Log<Uint8Array>>;
  readonly requests: Cell<Log<Work>>;
  readonly journal: Cell<Log<JournalRecord>>;
  readonly verdicts: Cell<Log<Verdict>>;
  readonly commands: Cell<Log<StepOrder>>;
  readonly claims: Cell<Log<ClaimContent>>;
  readonly aborts: Cell<Log<Abort>>;
  readonly ledger: Cell<readonly Effect[]>;
  readonly late: Cell<readonly Cell<Late>[]>;
  readonly order: Cell<Order>;
  readonly faults: Cell<Faults>;
  readonly coordinators: readonly Cell<Coordinator>[];
  readonly executors: readonly Cell<Executor>[];
  readonly reconciler: Cell<Reconciler>;
};

export type Abort = { readonly runId: string; readonly mode: 'abort' | 'drain' };

/** What the consumer groups and the heartbeats say. */
export type Order = {
  /** The coordinator, and the executor, that has the seat by its group. */
  readonly lane: number;
  readonly queue: number;
  /** Position of the commands that was committed last. */
  readonly committed: number;
  /** Sessions whose end was seen, or that are taken for dead although they live. */
  readonly gone: Readonly<Record<string, Gone>>;
};
export type Gone = { readonly cause: 'session_ended' | 'session_expired'; readonly endedAt: number | null };

/** How often each fault may still happen. */
export type Faults = Readonly<Record<Fault, number>>;
export type Fault =
  /** The seat of the lane, or of the queue, goes to the other one, who believes in it at once; the former learns later. */
  | 'laneSeat'
  | 'queueSeat'
  | 'coordinatorCrash'
  | 'workerCrash'
  /** A living session is taken for dead, and its seat given to another. */
  | 'zombie'
  /** An append of history, claims, closings is not answered: it is there, or lands later, or never. */
  | 'lostHistory'
  | 'lostClaim'
  | 'lostClose'
  /** A read of history shows an older end than there is. */
  | 'staleRead'
  /** A tool says that it does not know whether it acted, or that it failed without acting, or cannot answer when asked. */
  | 'unknownOutcome'
  | 'failedCall'
  | 'silentTool'
  /** A person cancels the run. */
  | 'cancel'
  /** Time passes although there is something to do. */
  | 'slow';

/** Sent by somebody who no longer waits for it: it lands at any later time, or never. */
export type Late =
  | { readonly kind: 'history'; readonly values: Log<Uint8Array> }
  | { readonly kind: 'claims'; readonly claims: readonly ClaimContent[] }
  | { readonly kind: 'word'; readonly word: JournalRecord }
  | { readonly kind: 'effect'; readonly call: Call; readonly until: number };

/** A coordinator process: the machine of its lane and what its shell has under way. */
export type Coordinator = {
  readonly life: number;
  readonly machine: LaneMachine;
  /** The append under way; `landed` once it is in the log and its answer on the way. */
  readonly sent: { readonly values: Log<Uint8Array>; readonly landed: number | null } | null;
  readonly follows: boolean;
  /** Next offsets of the inputs. */
  readonly next: Readonly<Record<Input, number>>;
  readonly outbox: readonly Told[];
  readonly closes: readonly WatchedAttempt[];
  readonly watched: readonly WatchedAttempt[];
  readonly claimsNext: number;
  readonly stopped: string | null;
};
export type Input = 'requests' | 'journal' | 'verdicts';
export type Told = { readonly reactions: readonly Reaction[]; readonly through: number };

/** A worker process: the machine of its sessions and what its shell has under way. */
export type Executor = {
  readonly life: number;
  readonly state: ExecutorState;
  readonly sent: {
    readonly append: number;
    readonly claims: readonly ClaimData[];
    readonly landed: number | null;
  } | null;
  readonly words: readonly JournalRecord[];
  readonly calls: readonly Call[];
  readonly abortsNext: number;
  readonly reported: number;
  /** Earlier claims that were asked for. */
  readonly asked: { readonly from: number; readonly to: number } | null;
  readonly defect: string | null;
};

/** A call that a session has begun. Its request is on the way from the beginning. */
export type Call = {
  readonly order: StepOrder;
  readonly session: string;
  readonly deadline: number;
  readonly acted: boolean;
  readonly aborted: AbortReason | null;
};

export type Reconciler = {
  readonly state: ReconcilerState;
  /** What history said when it was last read. */
  readonly seen: readonly DoubtView[];
  readonly asking: { readonly ask: number; readonly view: DoubtView } | null;
  readonly telling: readonly Judgement[];
};
