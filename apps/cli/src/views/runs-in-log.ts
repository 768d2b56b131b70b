import type { QuestionView, RunSummary } from '@holdfast/api';
import { isLaneEvent, type Escalation, type Json, type RunEventData } from '@holdfast/events';
import { mustBeSound, readAllLanes, type InLog } from './in-log.js';
import { noteRecord, summaryOf, type Header } from './summary.js';
import type { RunsFilter, RunsSeen } from './views.js';

/** Runs of all lanes, found by reading all of their histories. */
export const runsInLog = async (place: InLog, filter: RunsFilter): Promise<RunsSeen> => {
  const headers = new Map<string, Header>();
  const lanes = mustBeSound(
    await readAllLanes(place, (record, lane) => {
      const runId = record.record.subject;
      const next = runId === null ? null : noteRecord(headers.get(runId), record, lane);
      if (runId !== null && next !== null) headers.set(runId, next);
    }),
  );
  const all = [...headers.values()].map((header) => {
    const known = lanes[header.lane]?.state.runs.get(header.accepted.runId);
    return summaryOf(header, known?.run);
  });
  const found = all.filter((run) => fits(run, filter)).toSorted(latestFirst);
  return { items: found.slice(0, filter.limit), more: found.length > filter.limit };
};

const latestFirst = (a: RunSummary, b: RunSummary): number =>
  b.acceptedAt - a.acceptedAt || (a.runId < b.runId ? 1 : -1);

const fits = (run: RunSummary, { status, reason, labels, text, since }: RunsFilter): boolean =>
  (status.length === 0 || status.includes(run.status)) &&
  (reason.length === 0 || (run.reason !== null && reason.includes(run.reason))) &&
  Object.entries(labels).every(([name, value]) => run.labels[name] === value) &&
  (since === null || run.acceptedAt >= since) &&
  (text === null || textOf(run).includes(text.toLowerCase()));

const textOf = ({ runId, labels, reason }: RunSummary): string =>
  [runId, ...Object.entries(labels).flat(), reason ?? ''].join('\n').toLowerCase();

/** Questions of all runs that can be answered, those that run out first before the others. */
export const inboxInLog = async (place: InLog): Promise<readonly QuestionView[]> => {
  const opened = new Map<string, RunEventData<'EscalationOpened'>>();
  const lanes = mustBeSound(
    await readAllLanes(place, ({ folded, record: { event, subject, lane } }) => {
      if (folded !== 'valid' || isLaneEvent(event)) return;
      if (event.type === 'EscalationOpened') opened.set(`${subject}/${lane.seq}`, event.data);
    }),
  );
  const runs = lanes.flatMap(({ state }) => [...state.runs.values()].map(({ run }) => run));
  return runs
    .flatMap((run) => (run.status === 'ended' ? [] : Object.values(run.escalations).map((open) => ({ run, open }))))
    .map(({ run, open }) => questionView(run.runId, open, opened.get(`${run.runId}/${open.seq}`)?.context ?? null))
    .toSorted((a, b) => a.expiresAt - b.expiresAt);
};

const questionView = (runId: string, open: Escalation, context: Json): QuestionView => {
  const { seq, stepId, kind, question, choices, schema, approves, assignees, openedAt, expiresAt, expired } = open;
  const { onSilence } = open;
  return {
    runId,
    seq,
    stepId,
    kind,
    question,
    context,
    schema,
    approves,
    expiresAt,
    choices: [...choices],
    assignees: [...assignees],
    openedAt: openedAt ?? 0,
    onSilence: typeof onSilence === 'string' ? onSilence : JSON.stringify(onSilence.answer),
    status: expired ? 'expired' : 'open',
    choice: null,
    answeredBy: null,
    note: null,
    endedAt: null,
  };
};
