import {
  approvalRulesOf,
  begin,
  callAt,
  failed as planFailed,
  opened,
  succeeded as planSucceeded,
  type Json,
} from '@holdfast/programs';
import { Defect } from '../defect.js';
import { hasEffect } from '../policy.js';
import { conclude, note } from './concluded.js';
import { applyDoubtOpened, applyDoubtSettled, applyProbe } from './doubt.evolve.js';
import { noteUndoable, undoOf } from './undo.js';
import { evolveTogether } from './together.evolve.js';
import type { RunEvent, RunEventData } from './run.events.js';
import { emptyTally, type Attempt, type LiveRun, type RunState, type StepState } from './run.state.js';
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
  const next = noteClosed(run, evolveLive(run, event, seq), event);
  return mayBeLast.has(event.type) ? closeIfSettled(next) : next;
};

/** Events after which a run that has ended may have nothing left to settle. */
const mayBeLast: ReadonlySet<string> = new Set([
  'RunEnded',
  'ReportAmended',
  'EscalationAnswered',
  'EscalationExpired',
]);

type Later = Exclude<RunEvent, { type: 'RunAccepted' }>;

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
      return applyDoubtOpened(run, event.data, seq);
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

type AttemptName = { readonly stepId: string; readonly attempt: number };

const notActed = (run: LiveRun, name: AttemptName, as: 'closed' | 'skipped'): LiveRun =>
  withoutAttempt(conclude(noteAbsent(run, name, as), name.stepId, [name.attempt], as), name.stepId, name.attempt);

/** No further attempt follows in a run that is stopped: what this one has not done is not there. */
const noteAbsent = (run: LiveRun, { stepId, attempt }: AttemptName, as: 'closed' | 'skipped' | 'failed'): LiveRun => {
  const step = openStep(run, stepId);
  if ((run.cancel === null && run.end === null) || step === undefined || !hasEffect(step.policy)) return run;
  if (!step.attempts.some((known) => known.attempt === attempt)) return run;
  return { ...run, report: note(run.report, 'absent', [{ stepId, attempt, tool: step.tool, note: as }]) };
};

const cancelRequested = (run: LiveRun, cancel: RunEventData<'CancelRequested'>): LiveRun => ({
  ...run,
  status: run.status === 'closing' ? 'closing' : 'cancelling',
  cancel,
  paused: null,
});

const accepted = (data: RunEventData<'RunAccepted'>, acceptedSeq: number): LiveRun => ({
  status: 'running',
  runId: data.runId,
  requestId: data.requestId,
  requestHash: data.requestHash,
  acceptedSeq,
  labels: data.labels,
  runKey: data.runKey,
  program: data.program,
  input: data.input as Json,
  tools: data.tools,
  acceptedAt: data.acceptedAt,
  deadlineAt: data.deadlineAt,
  approvals: approvalRulesOf(data.approvals, data.program.approvals),
  asking: { ...data.program.escalations, ...data.escalations },
  progress: begin(data.program, data.input as Json),
  steps: [],
  escalations: {},
  closedQuestions: [],
  cancel: null,
  paused: null,
  waiting: null,
  concluded: {},
  spent: {},
  report: emptyTally,
  concurrency: data.concurrency === undefined ? null : { ...data.concurrency, status: 'asked' },
  validUntil: data.validUntil ?? null,
  parent: data.parent ?? null,
  children: [],
  undo: undoOf(data),
  end: null,
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
    spent: add(run.spent, data.reservation),
    waiting: null,
    paused: null,
  };
};

const add = (spent: LiveRun['spent'], more: LiveRun['spent']): LiveRun['spent'] => {
  const sum = { ...spent };
  for (const [kind, amount] of Object.entries(more)) sum[kind] = (sum[kind] ?? 0) + amount;
  return sum;
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
  const rest = { ...withoutStep(run, data.stepId), undo: noteUndoable(run, data.stepId, result) };
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

const stepFailed = (run: LiveRun, data: RunEventData<'StepFailed'>): LiveRun => {
  const step = openStep(run, data.stepId);
  if (!data.final) {
    const concluded = conclude(noteAbsent(run, data, 'failed'), data.stepId, [data.attempt], 'failed');
    const next = withoutAttempt(concluded, data.stepId, data.attempt);
    const known = mustHaveStep(next, data.stepId);
    return withStep(next, { ...known, tries: known.tries + 1 });
  }
  const uncertain = data.effect === 'unknown' && step !== undefined && hasEffect(step.policy);
  const entry = { stepId: data.stepId, attempt: data.attempt, tool: step?.tool ?? '', note: data.failure.message };
  const told = uncertain ? run : conclude(noteAbsent(run, data, 'failed'), data.stepId, [data.attempt], 'failed');
  const report = { ...told.report, stepsFailed: run.report.stepsFailed + 1 };
  return {
    ...withoutStep(told, data.stepId),
    progress: run.end ? run.progress : planFailed(run.program, run.input, run.progress, data.stepId),
    report: uncertain ? note(report, 'inDoubt', [entry]) : report,
  };
};

const conflictFound = (run: LiveRun, { stepId, attempt, evidence }: RunEventData<'ConflictFound'>): LiveRun => {
  const entry = { stepId, attempt, tool: openStep(run, stepId)?.tool ?? '', note: evidence.summary };
  return { ...run, report: note(run.report, 'conflicts', [entry]) };
};

const ended = (run: LiveRun, data: RunEventData<'RunEnded'>): LiveRun => {
  // Only what may still turn out to have acted is kept; it goes on being settled and the report is amended.
  const kept = run.steps
    .filter((step) => hasEffect(step.policy) && step.attempts.length > 0)
    .map((step) => ({ ...step, dueAt: null }));
  const escalations = Object.entries(run.escalations).filter(
    ([, { kind, stepId }]) => kind === 'conflict' || kept.some((step) => step.stepId === stepId),
  );
  return {
    ...run,
    status: 'closing',
    steps: kept,
    // Whether to try again is no question any more.
    escalations: Object.fromEntries(escalations),
    end: { reason: data.reason, endedAt: data.endedAt },
    children: [],
    waiting: null,
    paused: null,
  };
};
