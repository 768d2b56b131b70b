import {
  Defect,
  evolve,
  isLaneEvent,
  type Amounts,
  type HistoryRecord,
  type LiveRun,
  type RunEvent,
  type RunEventData,
  type RunState,
} from '@holdfast/events';
import { ledgerOf, type LedgerEntry } from './ledger.js';

/** What the history of one run says, as explanations need it. */
export type Told = {
  readonly accepted: RunEventData<'RunAccepted'>;
  readonly run: RunState;
  /** The run as it is, or as it last was before all but its end was forgotten. */
  readonly live: LiveRun;
  readonly end: RunEventData<'RunEnded'> | null;
  /** What it has used in all, what is reserved included. */
  readonly spent: Amounts;
  readonly amended: readonly RunEventData<'ReportAmended'>[];
  readonly children: { readonly begun: number; readonly ended: readonly RunEventData<'ChildEnded'>[] };
  readonly undo: {
    readonly started: RunEventData<'CompensationStarted'> | null;
    readonly ended: RunEventData<'CompensationEnded'> | null;
  };
  readonly conflicts: readonly RunEventData<'ConflictFound'>[];
  readonly ledger: readonly LedgerEntry[];
  /** The event with a number. */
  readonly event: (seq: number) => RunEvent | undefined;
  /** The last question to a tool that brought no answer, by the number of its doubt. */
  readonly probe: (doubtSeq: number) => RunEventData<'ProbeRecorded'> | undefined;
  readonly last: HistoryRecord;
};

/** Folds the records of one run. Throws a `Defect` for a history that does not begin, or contradicts itself. */
export const toldBy = (records: readonly HistoryRecord[]): Told => {
  const own = latestOf(records);
  const events = own.map(({ event }) => event as RunEvent);
  const [first] = events;
  const last = own.at(-1);
  if (first?.type !== 'RunAccepted' || last === undefined) throw new Defect('no history of a run begins there');
  const { run, live } = folded(own);
  const all = <T extends RunEvent['type']>(type: T) =>
    events.flatMap((event) => (event.type === type ? [event.data as RunEventData<T>] : []));
  const end = all('RunEnded').at(-1) ?? null;
  const amended = all('ReportAmended');
  const bySeq = new Map(own.map(({ lane, event }) => [lane.seq, event as RunEvent]));
  const probes = new Map(all('ProbeRecorded').map((data) => [data.doubtSeq, data]));
  return {
    accepted: first.data,
    run,
    live,
    end,
    spent: amended.at(-1)?.spent ?? end?.spent ?? live.spent,
    amended,
    children: { begun: all('ChildStarted').length, ended: all('ChildEnded') },
    undo: { started: all('CompensationStarted').at(-1) ?? null, ended: all('CompensationEnded').at(-1) ?? null },
    conflicts: all('ConflictFound'),
    ledger: ledgerOf(own),
    event: (seq) => bySeq.get(seq),
    probe: (doubtSeq) => probes.get(doubtSeq),
    last,
  };
};

/** An id that was forgotten may be used again: the records of the run that has it now. */
const latestOf = (records: readonly HistoryRecord[]): readonly HistoryRecord[] => {
  const own = records.filter(({ event }) => !isLaneEvent(event));
  return own.slice(
    Math.max(
      0,
      own.findLastIndex(({ event }) => event.type === 'RunAccepted'),
    ),
  );
};

const folded = (own: readonly HistoryRecord[]): { readonly run: RunState; readonly live: LiveRun } => {
  let run: RunState | undefined;
  let live: LiveRun | undefined;
  for (const { event, lane } of own) {
    run = evolve(run, event as RunEvent, lane.seq);
    if (run.status !== 'ended') live = run;
  }
  if (run === undefined || live === undefined) throw new Defect('no history of a run begins there');
  return { run, live };
};
