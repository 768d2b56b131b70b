import {
  callAt,
  failed as planFailed,
  givenUp as planGivenUp,
  isThought,
  opened,
  succeeded as planSucceeded,
  type Json,
} from '@holdfast/programs';
import { addAmounts, type Amounts } from '../budget/amounts.js';
import {
  heldBy,
  releaseAttempt,
  reservationOf,
  settleFailed,
  settleSucceeded,
  stopIdleClock,
} from '../budget/budget.evolve.js';
import type { CallSeen } from '../budget/budget.state.js';
import { evolveBudget, isBudgetEvent, type BudgetEvent } from '../budget/budget-events.evolve.js';
import { watchCall } from '../budget/loop.js';
import { Defect } from '../defect.js';
import { hasEffect } from '../policy.js';
import { applyTurnTaken, tellOfDoubt } from './agent.evolve.js';
import { conclude, note } from './concluded.js';
import { applyDoubtOpened, applyDoubtSettled, applyProbe } from './doubt.evolve.js';
import { undoOfEnded, noteUndoable } from './undo.js';
import { isStopping, noteFailure, whyOf } from './settling.js';
import { evolveTogether } from './together.evolve.js';
import { accepted } from './accepted.evolve.js';
import type { RunEvent, RunEventData } from './run.events.js';
import { isAboutStep, type Attempt, type Cancel, type LiveRun, type RunState, type StepState } from './run.state.js';
import { applyPaused, applySteered } from './steering.evolve.js';
import { checkApprovalUsed, evolveEscalation, noteClosed } from './escalation.evolve.js';
import {
  changeAttempt,
  closeIfSettled,
  mustHaveStep,
  openStep,
  withStep,
  withoutAttempt,
  withoutStep,
} from './run.parts.js';

/** The state after an event. Knows every event, makes no choice. `seq` is the event's number in its lane. */
export const evolve = (run: RunState | undefined, event: RunEvent, seq: number): RunState => {
  if (event.type === 'RunAccepted') {
    if (run !== undefined) throw new Defect(`RunAccepted cannot follow a run that is ${run.status}`);
    return accepted(event.data, seq);
  }
  if (run === undefined || run.status === 'ended') {
    throw new Defect(`${event.type} at ${seq} cannot follow a run that is ${run?.status ?? 'unknown'}`);
  }
  const after = isBudgetEvent(event) ? evolveBudget(run, event) : evolveLive(run, event, seq);
  const next = stopIdleClock(noteClosed(run, after, event), event.type);
  return mayBeLast.has(event.type) ? closeIfSettled(next) : next;
};

/** Events after which a run that has ended may have nothing left to settle. */
export const mayBeLast: ReadonlySet<string> = new Set([
  'RunEnded',
  'ReportAmended',
  'EscalationAnswered',
  'EscalationExpired',
]);

type Later = Exclude<RunEvent, { type: 'RunAccepted' } | BudgetEvent>;

const evolveLive = (run: LiveRun, event: Later, seq: number): LiveRun => {
  switch (event.type) {
    case 'StepScheduled':
      return scheduled(run, event.data);
    case 'AttemptHeld':
      return held(run, event.data);
    case 'AttemptClosed':
      return notActed(run, event.data, 'closed');
    case 'AttemptSkipped':
      return notActed(run, event.data, 'skipped');
    case 'StepSucceeded':
      return stepSucceeded(run, event.data);
    case 'StepFailed':
      return stepFailed(run, event.data);
    case 'BackoffStarted':
      return withStep(run, { ...mustHaveStep(run, event.data.stepId), dueAt: event.data.dueAt });
    case 'DoubtOpened':
      return tellOfDoubt(applyDoubtOpened(run, event.data, seq), event.data.stepId);
    case 'TurnTaken':
      return applyTurnTaken(run, event.data);
    case 'ProbeRecorded':
      return applyProbe(run, event.data);
    case 'DoubtSettled':
      return applyDoubtSettled(run, event.data);
    case 'ConflictFound':
      return conflictFound(run, event.data);
    case 'EscalationOpened':
    case 'EscalationReminded':
    case 'EscalationAnswered':
    case 'EscalationExpired':
    case 'ApprovalVoided':
      return evolveEscalation(run, event, seq);
    case 'CancelRequested':
      return cancelRequested(run, event.data);
    case 'RunWaiting':
      return { ...run, waiting: event.data };
    case 'RunEnded':
      return ended(run, event.data);
    case 'KillRequested':
    case 'ReportAmended':
      return run;
    case 'RunPaused':
      return applyPaused(run, event.data);
    case 'RunResumed':
      return { ...run, paused: null };
    case 'RunSteered':
      return applySteered(run, event.data);
    default:
      return evolveTogether(run, event);
  }
};

type NotActed = { readonly stepId: string; readonly attempt: number; readonly used?: Amounts | undefined };

const notActed = (run: LiveRun, data: NotActed, as: 'closed' | 'skipped'): LiveRun => {
  const { stepId, attempt } = data;
  const released = releaseAttempt(run, openStep(run, stepId), data);
  return withoutAttempt(conclude(noteAbsent(released, data, as), stepId, [attempt], as), stepId, attempt);
};

/** No further attempt follows in a run that is stopped: what this one has not done is not there. */
const noteAbsent = (run: LiveRun, { stepId, attempt }: NotActed, as: 'closed' | 'skipped' | 'failed'): LiveRun => {
  const step = openStep(run, stepId);
  if (!isStopping(run) || step === undefined || !hasEffect(step.policy)) return run;
  if (!step.attempts.some((known) => known.attempt === attempt)) return run;
  return { ...run, report: note(run.report, 'absent', [{ stepId, attempt, tool: step.tool, note: as }]) };
};

/** One that comes while the run is being cancelled gives it less time, and may say what becomes of its effects. */
const cancelRequested = (run: LiveRun, cancel: RunEventData<'CancelRequested'>): LiveRun => ({
  ...run,
  status: run.status === 'closing' ? 'closing' : 'cancelling',
  cancel: run.cancel === null ? cancel : sooner(run.cancel, cancel),
  paused: null,
});

const sooner = (first: Cancel, { deadlineAt, compensate }: RunEventData<'CancelRequested'>): Cancel => ({
  ...first,
  deadlineAt,
  ...(compensate === undefined ? {} : { compensate }),
});

const scheduled = (run: LiveRun, data: RunEventData<'StepScheduled'>): LiveRun => {
  checkApprovalUsed(run, data);
  const known = openStep(run, data.stepId);
  const step: StepState = known ?? {
    stepId: data.stepId,
    tool: data.tool,
    policy: data.policy,
    nextAttempt: 0,
    tries: 0,
    deaths: 0,
    attempts: [],
    dueAt: null,
    firstIssueAt: data.scheduledAt,
    doubt: null,
  };
  if (step.nextAttempt !== data.attempt) {
    throw new Defect(
      `attempt ${data.attempt} of ${data.stepId} was scheduled, but ${step.nextAttempt} is the next one`,
    );
  }
  const reservation = reservationOf(data);
  const attempt: Attempt = {
    attempt: data.attempt,
    queue: data.queue,
    partition: data.partition,
    scheduledAt: data.scheduledAt,
    startBy: data.startBy,
    timeoutMs: data.timeoutMs,
    claimsFrom: data.claimsFrom,
    argsHash: data.argsHash,
    settling: data.settling,
    status: 'open',
    holder: null,
    settledAt: null,
    saidUnknown: false,
    reservation: heldBy(reservation),
  };
  const next = withStep(run, {
    ...step,
    nextAttempt: data.attempt + 1,
    // The first good outcome of any attempt of a pure step counts, so only the newest one needs to be watched.
    attempts: step.policy === 'pure' ? [attempt] : [...step.attempts, attempt],
    dueAt: null,
    firstIssueAt: step.attempts.length === 0 ? data.scheduledAt : step.firstIssueAt,
  });
  return {
    ...next,
    progress: known ? run.progress : opened(run.program, run.input, run.progress, data.stepId),
    spent: addAmounts(run.spent, reservation),
    waiting: null,
  };
};

const held = (run: LiveRun, data: RunEventData<'AttemptHeld'>): LiveRun =>
  changeAttempt(run, data.stepId, data.attempt, (attempt) => ({
    ...attempt,
    status: attempt.status === 'doubtful' ? 'doubtful' : 'held',
    holder: { session: data.session, deadline: data.deadline, claimOffset: data.claimOffset },
  }));

const stepSucceeded = (run: LiveRun, data: RunEventData<'StepSucceeded'>): LiveRun => {
  const applied = run.report.applied + (hadEffect(run, data.stepId) ? 1 : 0);
  const result = (data.omitted ?? data.result ?? null) as Json;
  const step = openStep(run, data.stepId);
  const settled = step === undefined ? run : watchCall(settleSucceeded(run, step, data), callSeen(run, step, data));
  const rest = { ...withoutStep(settled, data.stepId), undo: noteUndoable(run, data.stepId, result) };
  return {
    ...rest,
    // Once the run has ended its plan no longer moves; only its report does.
    progress: run.end ? run.progress : planSucceeded(run.program, run.input, run.progress, data.stepId, result),
    report: {
      ...run.report,
      applied,
      stepsSucceeded: run.report.stepsSucceeded + 1,
    },
  };
};

/** What calls no tool has no attempts either; whether it is open the plan's own progress knows. */
const hadEffect = (run: LiveRun, stepId: string): boolean =>
  callAt(run.program, stepId) !== undefined && hasEffect(mustHaveStep(run, stepId).policy);

/** A model is asked with something else each time: only what it does can go in a circle. */
const callSeen = (
  run: LiveRun,
  step: StepState,
  { attempt, resultHash }: RunEventData<'StepSucceeded'>,
): CallSeen | null => {
  if (isThought(run.program, step.stepId)) return null;
  const known = step.attempts.find((one) => one.attempt === attempt) ?? step.attempts[0];
  if (resultHash === undefined || known === undefined) return null;
  return { call: `${step.tool}#${known.argsHash}`, result: resultHash };
};

const stepFailed = (before: LiveRun, data: RunEventData<'StepFailed'>): LiveRun => {
  const step = openStep(before, data.stepId);
  const run = settleFailed(before, step, data);
  if (!data.final) {
    const concluded = conclude(noteAbsent(run, data, 'failed'), data.stepId, [data.attempt], 'failed');
    const next = withoutAttempt(concluded, data.stepId, data.attempt);
    const known = mustHaveStep(next, data.stepId);
    return data.counts === false ? next : withStep(next, { ...known, tries: known.tries + 1 });
  }
  const uncertain = data.effect === 'unknown' && step !== undefined && hasEffect(step.policy);
  const entry = { stepId: data.stepId, attempt: data.attempt, tool: step?.tool ?? '', note: data.failure.message };
  const told = uncertain ? run : conclude(noteAbsent(run, data, 'failed'), data.stepId, [data.attempt], 'failed');
  const report = { ...told.report, stepsFailed: run.report.stepsFailed + 1 };
  const fail = uncertain ? planGivenUp : planFailed;
  const failed: LiveRun = {
    ...withoutStep(told, data.stepId),
    progress: run.end ? run.progress : fail(run.program, run.input, run.progress, data.stepId, whyOf(data.failure)),
    report: uncertain ? note(report, 'inDoubt', [entry]) : report,
  };
  return noteFailure(failed, { stepId: data.stepId, ...data.failure });
};

const conflictFound = (run: LiveRun, { stepId, attempt, evidence, used }: RunEventData<'ConflictFound'>): LiveRun => {
  const entry = { stepId, attempt, tool: openStep(run, stepId)?.tool ?? '', note: evidence.summary };
  return { ...run, spent: addAmounts(run.spent, used ?? {}), report: note(run.report, 'conflicts', [entry]) };
};

const ended = (run: LiveRun, data: RunEventData<'RunEnded'>): LiveRun => {
  // Only what may still turn out to have acted is kept; it goes on being settled and the report is amended.
  const kept = run.steps
    .filter((step) => hasEffect(step.policy) && step.attempts.length > 0)
    .map((step) => ({ ...step, dueAt: null }));
  const escalations = Object.entries(run.escalations).filter(
    ([, open]) => open.kind === 'conflict' || (isAboutStep(open) && kept.some(({ stepId }) => stepId === open.stepId)),
  );
  const keeps = run.concurrency === null || data.returns !== undefined ? {} : ({ keepsKey: true } as const);
  return {
    ...run,
    status: 'closing',
    steps: kept,
    // Whether to try again is no question any more.
    escalations: Object.fromEntries(escalations),
    end: { reason: data.reason, endedAt: data.endedAt, ...keeps },
    undo: undoOfEnded(run, data),
    waiting: null,
    paused: null,
  };
};
