import { childOf, escalationOf, openStep, type RunEvent, type RunState, type StepState } from '@holdfast/events';
import type { StepRow } from '../store/tables.js';
import { projectAttempts } from './attempt.project.js';
import { stepKey, type LaneView, type RunView } from './lane.view.js';
import type { ToldOfRun } from './told.js';

/** What calls no tool: a question of a plan, a run in a run, and whatever else a plan may name. */
const NO_POLICY = 'none';
const CHILD = 'run';

/** Brings the rows of the steps up to date that an event is about. `before`: the run as it was before it. */
export const projectSteps = (view: LaneView, run: RunView, told: ToldOfRun, before: RunState): void => {
  const ids = isAboutAll(run, told.event) ? [...run.steps] : waitedFor(told.event, before);
  if ('stepId' in told.event.data && told.event.data.stepId !== undefined) ids.push(told.event.data.stepId);
  for (const stepId of new Set(ids)) projectStep(view, run, told, stepId);
};

/** Steps that are over with the child that they wait for. */
const waitedFor = ({ type, data }: RunEvent, before: RunState): string[] => {
  if (type !== 'ChildEnded' || before.status === 'ended' || before.end !== null) return [];
  return (childOf(before, data.childRunId)?.waiting ?? []).map(({ stepId }) => stepId);
};

/** With the end of the run, and once it is settled, steps are left of which no event of their own says so. */
const isAboutAll = ({ state }: RunView, { type }: RunEvent): boolean => type === 'RunEnded' || state.status === 'ended';

const projectStep = (view: LaneView, run: RunView, told: ToldOfRun, stepId: string): void => {
  const now = run.state.status === 'ended' ? undefined : openStep(run.state, stepId);
  const known = view.steps.get(stepKey({ runId: run.runId, stepId })) ?? begun(run, told, { stepId, now });
  if (known === null) return;
  projectAttempts(view, run, told, { stepId, now });
  const next = after(run, told, known, now);
  if (next.endedAt === null) run.steps.add(stepId);
  else run.steps.delete(stepId);
  if (next.status === 'left') run.left.add(stepKey(next));
  if (next.status === 'succeeded' || next.status === 'failed') view.steps.close(next);
  else view.steps.put(next);
};

type Opened = { readonly stepId: string; readonly now: StepState | undefined };

/** A step that nobody knew before; null where the event begins none. */
const begun = (run: RunView, told: ToldOfRun, { stepId, now }: Opened): StepRow | null => {
  const what = whatBegins(told.event, now);
  if (what === null) return null;
  return {
    runId: run.runId,
    stepId,
    lane: told.lane,
    offset: told.offset,
    firstSeq: told.seq,
    ...what,
    status: 'open',
    attempts: 0,
    tries: 0,
    scheduledAt: told.event.type === 'StepScheduled' ? told.event.data.scheduledAt : told.at,
    endedAt: null,
    endedSeq: null,
    failure: null,
  };
};

const whatBegins = ({ type, data }: RunEvent, now: StepState | undefined): Pick<StepRow, 'tool' | 'policy'> | null => {
  if (now !== undefined) return { tool: now.tool, policy: now.policy };
  if (type === 'EscalationOpened') return data.kind === 'question' ? { tool: 'person', policy: NO_POLICY } : null;
  if (type === 'ChildStarted' || type === 'ChildAttached') return { tool: CHILD, policy: NO_POLICY };
  // It was over before it began: nothing had to be called, or its arguments could not be put together.
  const isOver = type === 'StepSucceeded' || (type === 'StepFailed' && data.final);
  return isOver ? { tool: 'none', policy: NO_POLICY } : null;
};

const after = (run: RunView, told: ToldOfRun, row: StepRow, now: StepState | undefined): StepRow => {
  const { event, seq, at, offset } = told;
  const changed = { ...row, offset, ...counts(row, event, now) };
  if (event.type === 'StepFailed' && event.data.stepId === row.stepId) {
    const { failure, final } = event.data;
    const failed = { ...changed, failure, endedSeq: seq };
    return final ? { ...failed, status: 'failed', endedAt: at } : { ...failed, status: statusOf(run, row, now) };
  }
  if (event.type === 'StepSucceeded' && event.data.stepId === row.stepId) {
    return { ...changed, status: 'succeeded', endedAt: at, endedSeq: seq };
  }
  const ended = endOfChild(row, told);
  if (ended !== null) return { ...changed, ...ended };
  if (isLeft(run, now)) return { ...changed, status: 'left', endedAt: row.endedAt ?? at };
  return { ...changed, status: statusOf(run, row, now) };
};

/** A step that waits for a run ends with it, or when it has waited long enough. */
const endOfChild = ({ tool }: StepRow, { event, seq, at }: ToldOfRun): Partial<StepRow> | null => {
  const over = { endedAt: at, endedSeq: seq };
  if (event.type === 'ChildLeft') return { ...over, status: 'succeeded' };
  if (event.type !== 'ChildEnded' || tool !== CHILD) return null;
  const { reason, detail: message } = event.data;
  if (reason === 'succeeded') return { ...over, status: 'succeeded' };
  return { ...over, status: 'failed', failure: { code: `child_${reason}`, message } };
};

const counts = (row: StepRow, { type, data }: RunEvent, now: StepState | undefined) => {
  if (now !== undefined) return { attempts: now.nextAttempt, tries: now.tries };
  return { attempts: row.attempts, tries: row.tries + (type === 'StepFailed' && data.counts !== false ? 1 : 0) };
};

/** The run has ended, and nothing of the step is left that could still turn out to have acted. */
const isLeft = ({ state }: RunView, now: StepState | undefined): boolean =>
  state.status === 'ended' || (state.end !== null && (now === undefined || now.attempts.length === 0));

const statusOf = ({ state }: RunView, row: StepRow, now: StepState | undefined): string => {
  if (now !== undefined && now.doubt !== null) return 'doubtful';
  if (state.status !== 'ended' && escalationOf(state, row.stepId) !== undefined) return 'waiting';
  return now === undefined && row.tool !== CHILD ? row.status : 'open';
};
