import type { Claim, JournalRecord, StepOrder } from '@holdfast/contracts';
import type { Amounts } from '@holdfast/events';
import type { CallOutcome as ToolOutcome } from '@holdfast/sdk';
import type { ClaimData, Time } from './session.state.js';

type Json = StepOrder['args'];
type Where = { readonly queue: string; readonly partition: number };

/** What reaches the machine; each with the clocks at the moment it is handed in. */
export type Input = Time & News;

export type News =
  | { readonly type: 'session-opened'; readonly session: string }
  /** `sent`: the clocks when the heartbeat was sent. `clockOffMs`: by its answer, how far off our clock is. `clockIsRight`: it proves as much. */
  | {
      readonly type: 'beat-acknowledged';
      readonly sessions: readonly string[];
      readonly sent: Time;
      readonly clockOffMs: number;
      readonly clockIsRight: boolean;
    }
  | (Where & { readonly type: 'seat-gained'; readonly from: number })
  | (Where & { readonly type: 'seat-lost' })
  | (Where & { readonly type: 'commands-read'; readonly commands: readonly CommandRead[]; readonly next: number })
  /** What could not be read is in the dead letters. */
  | (Where & { readonly type: 'dead-letter-written'; readonly offset: number })
  /** The followed claims went on from `from` to `next`. */
  | (Where & ClaimsRead & { readonly type: 'claims-read' })
  /** The answer to `read-claims`: all of [`from`, `next`). */
  | (Where & ClaimsRead & { readonly type: 'earlier-claims-read' })
  /** What was to be read of the claims is not kept any more below `start`. */
  | (Where & { readonly type: 'claims-lost'; readonly start: number })
  | (Where & { readonly type: 'claims-answered'; readonly append: number; readonly answer: ClaimsAnswer })
  | { readonly type: 'abort-read'; readonly runId: string; readonly mode: 'abort' | 'drain' }
  /** The shell asked `callBlockedBy` just before the call and was told to leave it. */
  | { readonly type: 'call-blocked'; readonly attemptId: string; readonly reason: string }
  | { readonly type: 'call-ended'; readonly attemptId: string; readonly outcome: CallOutcome }
  | { readonly type: 'progressed'; readonly attemptId: string; readonly progress: Json }
  /** One entry per record. */
  | { readonly type: 'journal-acknowledged'; readonly attemptIds: readonly string[] }
  | { readonly type: 'quarantine'; readonly attemptIds: readonly string[]; readonly suspects: readonly string[] }
  | { readonly type: 'defect-found'; readonly queue: string; readonly partition: number; readonly detail: string }
  | { readonly type: 'tick' }
  /** `until`: epoch ms when calls still under way are told to stop. */
  | { readonly type: 'drain'; readonly until: number }
  | { readonly type: 'parent-lost' };

/** A command as the shell read it; `orders` is null for bytes that are no command. */
export type CommandRead = { readonly offset: number; readonly orders: readonly OrderRead[] | null };
/** `refusal`: why this process cannot do it, whoever holds it. */
export type OrderRead = { readonly order: StepOrder; readonly lane: number; readonly refusal: string | null };

export type ClaimsRead = {
  readonly from: number;
  readonly claims: readonly ClaimRead[];
  readonly next: number;
};
/** `claim` is null for bytes that are no claim. */
export type ClaimRead = { readonly offset: number; readonly claim: ClaimContent | null };
export type ClaimContent = {
  [T in Claim['type']]: { type: T; data: Extract<Claim, { type: T }>['data'] };
}[Claim['type']];

export type ClaimsAnswer =
  | { readonly outcome: 'appended'; readonly offset: number }
  /** `refused` proves that nothing was written, `unknown` proves nothing. */
  | { readonly outcome: 'refused' | 'unknown' };

/** How a call ended; `aborted` says that it was told to stop and did. */
export type CallOutcome = ToolOutcome | Aborted;
export type Aborted = {
  readonly outcome: 'aborted';
  readonly effect: 'none' | 'unknown';
  readonly reason: AbortReason;
  readonly used?: Amounts;
};

export type AbortReason = 'deadline' | 'run_aborted' | 'shutdown';

/** A journal record without its envelope. */
export type JournalEntry = { [T in JournalRecord['type']]: { type: T; data: DataOf<T> } }[JournalRecord['type']];
type DataOf<T> = Extract<JournalRecord, { type: T }>['data'];

/** What the shell is asked to do. */
export type Output =
  | (Where & { readonly type: 'follow-commands' | 'follow-claims'; readonly from: number })
  | (Where & { readonly type: 'unfollow-commands' | 'unfollow-claims' })
  /** Read all of [`from`, `to`) and hand it in as one `earlier-claims-read`. */
  | (Where & { readonly type: 'read-claims'; readonly from: number; readonly to: number })
  /** `tries` counts the sendings before this one: a repeat may wait a little. */
  | (Where & {
      readonly type: 'append-claims';
      readonly append: number;
      readonly claims: readonly ClaimData[];
      readonly tries: number;
    })
  | {
      readonly type: 'start-call';
      readonly attemptId: string;
      readonly order: StepOrder;
      readonly session: string;
      readonly deadline: number;
    }
  | { readonly type: 'abort-call'; readonly attemptId: string; readonly reason: AbortReason }
  | {
      readonly type: 'write-journal';
      readonly lane: number;
      readonly attemptId: string;
      readonly session: string;
      readonly entry: JournalEntry;
    }
  /** Everything before `next` is settled as far as this process goes. */
  | (Where & { readonly type: 'report-position'; readonly next: number })
  | { readonly type: 'session-draining'; readonly session: string; readonly reason: string }
  /** The draining session has said its last word. */
  | { readonly type: 'session-over'; readonly session: string }
  | (Where & { readonly type: 'partition-defect'; readonly detail: string })
  /** Asked to stop, and nothing is left to wait for. */
  | { readonly type: 'drained' };
