import { hasEffect, LIMITS, type RunEventData, type StepState } from '@holdfast/events';
import type { AttemptRow } from '../store/tables.js';
import { attemptKey, type LaneView, type RunView } from './lane.view.js';
import type { ToldOfRun } from './told.js';

type End = Pick<AttemptRow, 'status' | 'effect'>;

/** Brings the rows of a step's attempts up to date. `now` is the step after the event; undefined when it is over. */
export const projectAttempts = (
  view: LaneView,
  run: RunView,
  told: ToldOfRun,
  step: { readonly stepId: string; readonly now: StepState | undefined },
): void => {
  const { stepId, now } = step;
  if (told.event.type === 'StepScheduled') view.attempts.put(begun(run.runId, told, told.event.data));
  const open: string[] = [];
  for (const { attempt } of now?.attempts ?? []) open.push(attemptKey({ runId: run.runId, stepId, attempt }));
  for (const known of now?.attempts ?? []) changeOpen(view, run, told, { stepId, known });
  for (const key of run.attempts.get(stepId) ?? []) if (!open.includes(key)) finish(view, run, told, key);
  if (open.length > 0) run.attempts.set(stepId, open);
  else run.attempts.delete(stepId);
};

const begun = (runId: string, told: ToldOfRun, data: RunEventData<'StepScheduled'>): AttemptRow => ({
  runId,
  stepId: data.stepId,
  attempt: data.attempt,
  lane: told.lane,
  offset: told.offset,
  firstSeq: told.seq,
  tool: data.tool,
  policy: data.policy,
  status: 'open',
  settling: data.settling,
  queue: data.queue,
  partition: data.partition,
  session: null,
  effect: null,
  scheduledAt: data.scheduledAt,
  heldAt: null,
  endedAt: null,
});

type Known = { readonly stepId: string; readonly known: StepState['attempts'][number] };

const changeOpen = (view: LaneView, run: RunView, told: ToldOfRun, { stepId, known }: Known): void => {
  const row = view.attempts.get(attemptKey({ runId: run.runId, stepId, attempt: known.attempt }));
  if (row === undefined) return;
  const session = known.holder?.session ?? row.session;
  if (row.status === known.status && row.session === session) return;
  view.attempts.put({
    ...row,
    offset: told.offset,
    status: known.status,
    session,
    heldAt: row.heldAt ?? (known.holder === null ? null : told.at),
    effect: known.status === 'doubtful' && acts(row) ? 'in_doubt' : null,
  });
};

const finish = (view: LaneView, run: RunView, told: ToldOfRun, key: string): void => {
  const row = view.attempts.get(key);
  if (row === undefined) return;
  const { status, effect } = endOf(row, told);
  const session = row.session ?? witnessOf(row, told);
  const ended = { ...row, offset: told.offset, status, session, effect: acts(row) ? effect : null, endedAt: told.at };
  if (acts(row)) remember(view, run, ended);
  else view.attempts.close(ended);
};

/** Only so many as a run itself remembers: nothing later is said about older ones. */
const remember = (view: LaneView, run: RunView, row: AttemptRow): void => {
  view.attempts.put(row);
  const key = attemptKey(row);
  run.finished.add(key);
  if (run.finished.size <= LIMITS.concludedMax) return;
  const [oldest = key] = run.finished;
  run.finished.delete(oldest);
  view.attempts.forget(oldest);
};

/** Who held it shows for most attempts only by who says what became of it. */
const witnessOf = (row: AttemptRow, { event: { data } }: ToldOfRun): string | null =>
  'attempt' in data && data.attempt === row.attempt && 'session' in data ? data.session : null;

const acts = ({ policy }: AttemptRow): boolean => hasEffect(policy as StepState['policy']);

/** How an event ends an attempt that was open before it and is not after it. */
const endOf = (row: AttemptRow, { event }: ToldOfRun): End => {
  const own = 'attempt' in event.data && event.data.attempt === row.attempt;
  switch (event.type) {
    case 'StepSucceeded':
      return own ? { status: 'succeeded', effect: 'applied' } : replaced;
    case 'StepFailed':
      return own ? { status: 'failed', effect: event.data.effect === 'none' ? 'absent' : 'in_doubt' } : replaced;
    case 'AttemptClosed':
      return { status: 'closed', effect: 'absent' };
    case 'AttemptSkipped':
      return { status: 'skipped', effect: 'absent' };
    case 'DoubtSettled':
      return event.data.verdict === 'absent' ? { status: 'absent', effect: 'absent' } : replaced;
    default:
      return replaced;
  }
};

/** Nothing more is said of it by itself: another attempt of the step, or the run, is over. */
const replaced: End = { status: 'closed', effect: null };

/** A word that contradicts what was acted on. */
export const projectConflict = (view: LaneView, run: RunView, told: ToldOfRun): void => {
  if (told.event.type !== 'ConflictFound') return;
  const { stepId, attempt } = told.event.data;
  const row = view.attempts.get(attemptKey({ runId: run.runId, stepId, attempt }));
  if (row !== undefined) view.attempts.put({ ...row, offset: told.offset, effect: 'conflict' });
};
