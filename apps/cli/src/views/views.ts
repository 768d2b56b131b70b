import type {
  DeadLetterView,
  ExecutorView,
  LaneView,
  QuestionView,
  RunDetail,
  RunSummary,
  SentAgain,
} from '@holdfast/api';
import type { Explanation, LedgerEntry, Status, TranscriptTurn } from '@holdfast/explain';
import type { EndReason } from '@holdfast/events';
import type { LetterPlace } from '@holdfast/sdk';

export type RunsFilter = {
  readonly status: readonly Status[];
  readonly reason: readonly EndReason[];
  readonly labels: Readonly<Record<string, string>>;
  readonly text: string | null;
  /** Accepted at or after, epoch ms. */
  readonly since: number | null;
  readonly limit: number;
};
/** Latest first; `more`: the limit has left some out. */
export type RunsSeen = { readonly items: readonly RunSummary[]; readonly more: boolean };

/** A lane as it can be seen: where nobody projects it, how far that is is not known. */
export type LaneSeen = Omit<LaneView, 'projected' | 'lagRecords' | 'lagMs'> & {
  readonly projected: number | null;
  readonly lagRecords: number | null;
  readonly lagMs: number | null;
  /** Records of its input topics that its coordinator has not taken yet; null where that is not known. */
  readonly inputs: { readonly requests: number; readonly journal: number; readonly verdicts: number } | null;
};

/** What can be seen of a namespace: out of a gateway's database, or by reading its log from the beginning. */
export type Views = {
  runs(filter: RunsFilter): Promise<RunsSeen>;
  run(runId: string): Promise<RunDetail>;
  explain(runId: string): Promise<Explanation>;
  ledger(runId: string): Promise<readonly LedgerEntry[]>;
  transcript(runId: string): Promise<readonly TranscriptTurn[]>;
  /** Open questions of all runs, those that run out first before the others. */
  inbox(): Promise<readonly QuestionView[]>;
  executors(): Promise<readonly ExecutorView[]>;
  lanes(): Promise<readonly LaneSeen[]>;
  deadLetters(topic: string | null, limit: number): Promise<readonly DeadLetterView[]>;
  deadLetter(place: LetterPlace): Promise<DeadLetterView>;
  sendAgain(place: LetterPlace): Promise<SentAgain>;
};
