import type { RunEventData } from '@holdfast/events';
import type { QuestionRow } from '../store/tables.js';
import { numberKey, type LaneView, type RunView } from './lane.view.js';
import type { ToldOfRun } from './told.js';

/** Brings the rows of what people are asked up to date. */
export const projectQuestions = (view: LaneView, run: RunView, told: ToldOfRun): void => {
  const { event } = told;
  if (event.type === 'EscalationOpened') open(view, run, told, event.data);
  else if (event.type === 'EscalationAnswered') answered(view, run, told, event.data);
  else if (event.type === 'EscalationExpired') expired(view, run, told, event.data.escalationSeq);
  withdrawForgotten(view, run, told);
};

const open = (view: LaneView, run: RunView, told: ToldOfRun, data: RunEventData<'EscalationOpened'>): void => {
  const row: QuestionRow = {
    runId: run.runId,
    seq: told.seq,
    lane: told.lane,
    offset: told.offset,
    stepId: data.stepId,
    attempt: data.attempt,
    kind: data.kind,
    question: data.question,
    context: data.context ?? null,
    choices: data.choices,
    schema: data.schema ?? null,
    approves: data.approves ?? null,
    assignees: data.assignees ?? [],
    openedAt: data.openedAt ?? told.at,
    expiresAt: data.expiresAt,
    onSilence: typeof data.onSilence === 'object' ? JSON.stringify(data.onSilence) : (data.onSilence ?? 'end'),
    status: 'open',
    choice: null,
    answeredBy: null,
    note: null,
    endedAt: null,
  };
  view.questions.put(row);
  run.questions.add(numberKey(row));
};

const answered = (
  view: LaneView,
  run: RunView,
  told: ToldOfRun,
  { escalationSeq: seq, choice, principal: answeredBy, note, givenAt }: RunEventData<'EscalationAnswered'>,
): void => {
  close(view, run, told, { seq, status: 'answered', choice, answeredBy, note, endedAt: givenAt ?? told.at });
};

/** A question about a doubt can still be answered. */
const expired = (view: LaneView, run: RunView, told: ToldOfRun, seq: number): void => {
  const row = view.questions.get(numberKey({ runId: run.runId, seq }));
  if (row === undefined) return;
  const change = { status: 'expired', endedAt: told.at };
  if (isOpen(run, seq)) view.questions.put({ ...row, ...change, offset: told.offset });
  else close(view, run, told, { seq, ...change });
};

const close = (
  view: LaneView,
  run: RunView,
  told: ToldOfRun,
  change: Pick<QuestionRow, 'seq' | 'status'> & Partial<QuestionRow>,
): void => {
  const key = numberKey({ runId: run.runId, seq: change.seq });
  const row = view.questions.get(key);
  if (row !== undefined) view.questions.close({ ...row, ...change, offset: told.offset });
  run.questions.delete(key);
};

const isOpen = ({ state }: RunView, seq: number): boolean =>
  state.status !== 'ended' && Object.hasOwn(state.escalations, seq);

/** What was asked was settled in another way, or is no longer of interest. */
const withdrawForgotten = (view: LaneView, run: RunView, told: ToldOfRun): void => {
  for (const key of run.questions) {
    const row = view.questions.get(key);
    if (row === undefined || isOpen(run, row.seq)) continue;
    const wasOpen = row.status === 'open';
    if (wasOpen) close(view, run, told, { seq: row.seq, status: 'withdrawn', endedAt: told.at });
    else {
      view.questions.forget(key);
      run.questions.delete(key);
    }
  }
};
