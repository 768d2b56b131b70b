import { isLaneEvent, type HistoryRecord, type ReplayPolicy, type RunEvent, type RunEventData } from '@holdfast/events';
import { describeEvent } from '@holdfast/words';

/**
 * What became of a call. `covered`: another attempt under the same key stands for it; `under_way`: nobody has said
 * anything yet.
 */
export const fates = ['applied', 'absent', 'in_doubt', 'conflict', 'covered', 'under_way'] as const;
export type Fate = (typeof fates)[number];

/** One attempt of a step that calls a tool. */
export type LedgerEntry = {
  readonly stepId: string;
  readonly attempt: number;
  readonly tool: string;
  readonly policy: ReplayPolicy;
  readonly settling: boolean;
  readonly fate: Fate;
  /** Who held it; null where nobody is known to. */
  readonly session: string | null;
  readonly scheduledAt: number;
  /** By what its fate is known: the sentence of an event, the number of that event, and its time. */
  readonly evidence: string;
  readonly seq: number;
  readonly at: number;
};

/** What the ledger needs of a record of history. */
export type LedgerRecord = Pick<HistoryRecord, 'event' | 'time'> & {
  readonly lane: Pick<HistoryRecord['lane'], 'seq'>;
};

type Book = { readonly entries: LedgerEntry[]; readonly byStep: Map<string, number[]> };
type Told = Pick<LedgerEntry, 'evidence' | 'seq' | 'at'>;

/** Every attempt of a run in the order in which it was ordered, with what became of it as far as its history says. */
export const ledgerOf = (records: readonly LedgerRecord[]): readonly LedgerEntry[] => {
  const book: Book = { entries: [], byStep: new Map() };
  for (const { event, lane, time } of records) {
    if (isLaneEvent(event)) continue;
    enter(book, event, { evidence: describeEvent(event), seq: lane.seq, at: Date.parse(time) });
  }
  return book.entries;
};

const enter = (book: Book, event: RunEvent, told: Told): void => {
  switch (event.type) {
    case 'StepScheduled':
      return ordered(book, event.data, told);
    case 'AttemptHeld':
      return change(book, event.data, { session: event.data.session });
    case 'AttemptClosed':
    case 'AttemptSkipped':
      return change(book, event.data, { fate: 'absent', ...told });
    case 'StepSucceeded':
      return succeeded(book, event.data, told);
    case 'StepFailed':
      return change(book, event.data, { fate: event.data.effect === 'none' ? 'absent' : 'in_doubt', ...told });
    case 'DoubtOpened':
      return change(book, event.data, { fate: 'in_doubt', ...told });
    case 'DoubtSettled':
      return settled(book, event.data, told);
    case 'ConflictFound':
      return change(book, event.data, { fate: 'conflict', ...told });
    default:
  }
};

const ordered = (book: Book, data: RunEventData<'StepScheduled'>, told: Told): void => {
  const { stepId, attempt, tool, policy, settling, scheduledAt } = data;
  const known = book.byStep.get(stepId) ?? [];
  book.byStep.set(stepId, [...known, book.entries.length]);
  const order = { stepId, attempt, tool, policy, settling, scheduledAt };
  book.entries.push({ ...order, ...told, fate: 'under_way', session: null });
};

type Ref = { readonly stepId: string; readonly attempt: number };

const change = (book: Book, { stepId, attempt }: Ref, to: Partial<LedgerEntry>): void =>
  changeAll(book, stepId, (entry) => (entry.attempt === attempt ? to : null));

const changeAll = (book: Book, stepId: string, to: (entry: LedgerEntry) => Partial<LedgerEntry> | null): void => {
  for (const index of book.byStep.get(stepId) ?? []) {
    const entry = book.entries[index];
    const changed = entry === undefined ? null : to(entry);
    if (entry !== undefined && changed !== null) book.entries[index] = { ...entry, ...changed };
  }
};

/** What the tool or a person has found says more than the success that follows from it. */
const succeeded = (book: Book, { stepId, attempt }: Ref, told: Told): void =>
  changeAll(book, stepId, (entry) => {
    if (entry.attempt === attempt) return entry.fate === 'applied' ? null : { fate: 'applied', ...told };
    return entry.fate === 'in_doubt' || entry.fate === 'under_way' ? { fate: 'covered', ...told } : null;
  });

const settled = (book: Book, { stepId, attempt, verdict }: RunEventData<'DoubtSettled'>, told: Told): void =>
  changeAll(book, stepId, (entry) => {
    if (entry.fate !== 'in_doubt') return null;
    if (verdict === 'applied') return entry.attempt === attempt ? { fate: 'applied', ...told } : null;
    // Only of what may be called again without harm: what the lost call did does not matter.
    return { fate: verdict === 'absent' ? 'absent' : 'covered', ...told };
  });
