import type { JournalRecord, StepOrder } from '@holdfast/contracts';
import type { HistoryRecord, LaneState } from '@holdfast/events';
import type { ClaimContent } from '../../../apps/executor/src/session/session.messages.js';

/** A call that has acted outside, as the tool's own ledger has it. */
export type Effect = {
  readonly attemptId: string;
  readonly stepId: string;
  readonly key: string;
  readonly policy: StepOrder['policy'];
  readonly session: string;
  /** False where the tool knew the key already and did nothing. */
  readonly applied: boolean;
};

/** What one run of the system has left behind: the log and the ledger of effects. Plain data. */
export type Evidence = {
  /** Valid records of one lane, in order. */
  readonly history: readonly HistoryRecord[];
  /** The fold of all of them. */
  readonly lane: LaneState;
  /** Why the history cannot be folded, or null. */
  readonly defect: string | null;
  /** All claims of the queue partition, by offset. */
  readonly claims: readonly ClaimContent[];
  readonly commands: readonly StepOrder[];
  readonly journal: readonly JournalRecord[];
  readonly ledger: readonly Effect[];
};

/** A part of the evidence that an invariant looks at. */
export type EvidencePart = 'history' | 'claims' | 'commands' | 'journal' | 'ledger';

/** What must hold at every moment. `breach` says what is wrong, in words a person can act on, or null. */
export type Invariant = {
  readonly name: string;
  readonly about: readonly EvidencePart[];
  readonly breach: (evidence: Evidence) => string | null;
};
