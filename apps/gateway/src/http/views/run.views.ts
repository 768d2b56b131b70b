import type { BudgetsView, HistoryEntry, RunDetail, RunSummary } from '@holdfast/api';
import { minusOrNone, type EffectsReport, type EndReason, type Wait } from '@holdfast/events';
import { describeEvent, describeWait } from '@holdfast/words';
import type { Json } from '@holdfast/programs';
import { eventOf } from '../../store/read-events.js';
import type { BudgetRow, EventRow, RunRow } from '../../store/tables.js';

/** One line of the list of runs. */
export const runView = (row: RunRow): RunSummary => ({
  runId: row.runId,
  lane: row.lane,
  seq: row.seq,
  status: row.status as RunSummary['status'],
  reason: row.reason as EndReason | null,
  labels: row.labels as Record<string, string>,
  tenant: row.tenant,
  parentRunId: row.parentRunId,
  acceptedAt: row.acceptedAt,
  updatedAt: row.updatedAt,
  deadlineAt: row.deadlineAt,
  endedAt: row.endedAt,
  principal: row.principal,
  stepsOpen: row.stepsOpen,
  stepsSucceeded: row.stepsSucceeded,
  stepsFailed: row.stepsFailed,
  effectsApplied: row.effectsApplied,
  doubtsOpen: row.doubtsOpen,
  questionsOpen: row.questionsOpen,
  waitingFor: row.waiting === null ? null : describeWait(row.waiting as unknown as Wait),
});

/** The events that hold what is too large for a row. */
export type RunEvents = {
  readonly accepted: EventRow | undefined;
  readonly ended: EventRow | undefined;
  readonly report: EventRow | undefined;
};

type Data = Readonly<Record<string, Json>>;
const dataOf = (row: EventRow | undefined): Data => (row?.data ?? {}) as Data;

/** One run with what only its events hold. */
export const detailView = (row: RunRow, events: RunEvents, children: readonly string[]): RunDetail => {
  const { requestId = '', program = null, input = null, tools = {} } = dataOf(events.accepted);
  return {
    ...runView(row),
    requestId: requestId as string,
    program,
    input,
    tools: tools as Record<string, Json>,
    output: dataOf(events.ended)['output'] ?? null,
    detail: row.detail,
    report: (dataOf(events.report)['report'] ?? null) as EffectsReport | null,
    budgets: row.budgets as unknown as RunDetail['budgets'],
    cancel: row.cancel as RunDetail['cancel'],
    paused: row.paused as RunDetail['paused'],
    children: [...children],
  };
};

export const historyView = (row: EventRow): HistoryEntry => ({
  seq: row.seq,
  offset: row.offset,
  at: row.at,
  type: row.type,
  stepId: row.stepId,
  principal: row.principal,
  words: describeEvent(eventOf(row)),
  data: row.data,
});

/** What a tenant may use, and what of it its runs have. */
export const tenantView = (owner: string, rows: readonly BudgetRow[]): BudgetsView => ({
  owner,
  gauges: rows.map(({ kind, used, most: limit }) => {
    const left = limit === null ? null : String(minusOrNone(kind, limit, used));
    return { kind, used, limit, left };
  }),
});
