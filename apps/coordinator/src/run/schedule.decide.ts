import {
  deathsMaxOf,
  escalationOf,
  hasEffect,
  isRecovering,
  isStopping,
  LIMITS,
  openStep,
  runEvent,
  triesMaxOf,
  waitsForKey,
  type LiveRun,
  type StepState,
} from '@holdfast/events';
import { argsOf, isAsk, isRun, leafAt, ready, type Json, type ReadyStep } from '@holdfast/programs';
import { startChild } from '../children/child.decide.js';
import { leaveFor } from './approval.decide.js';
import { isAskable, maySettleByCall, pinOf } from './attempts.js';
import { ranOut, type Short } from './budget.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { openEscalation } from './escalation.decide.js';
import { scheduleAttempt, type Budget, type NewAttempt, type Scheduled } from './place.js';
import { askQuestion, type Problem } from './question.decide.js';

/** Schedules what may run now: new attempts of open steps first, then steps that have become ready. */
export const schedule = (draft: RunDraft, env: Env, budget: Budget): void => {
  const missing = new Set<string>();
  const run = liveRun(draft);
  if (run === undefined || isStopping(run) || run.paused !== null) return;
  if (env.rules.keyBeforeSteps && waitsForKey(run)) return;
  const work: Work = { draft, env, budget, missing, short: [], questions: { left: questionsLeft(run) } };
  for (const step of run.steps) {
    if (budget.steps <= 0) break;
    again(work, step);
  }
  scheduleReady(work);
  if (budget.steps <= 0) budget.more = true;
  for (const wait of ranOut(draft, work.short, env)) missing.add(wait);
  sayWhatIsMissing(work);
};

type Work = {
  readonly draft: RunDraft;
  readonly env: Env;
  readonly budget: Budget;
  /** What nobody serves at the moment. */
  readonly missing: Set<string>;
  /** What does not fit into what the run may use. */
  readonly short: Short[];
  /** How many the run may still ask of what can be put off. */
  readonly questions: { left: number };
};

const questionsLeft = ({ escalations }: LiveRun): number =>
  LIMITS.questionsOpenMax -
  Object.values(escalations).filter(({ kind }) => kind === 'question' || kind === 'approval').length;

/** Whether one more question may be asked; where it may not, it waits until one is answered. */
const mayAsk = ({ questions, missing }: Work): boolean => {
  if (questions.left > 0) return true;
  missing.add(`one of its ${LIMITS.questionsOpenMax} questions to be answered`);
  return false;
};

const asked = ({ questions, budget }: Work, weight: number): void => {
  questions.left -= 1;
  budget.steps -= weight;
};

const again = (work: Work, step: StepState): void => {
  const { draft, env } = work;
  const run = liveRun(draft);
  if (run === undefined || escalationOf(run, step.stepId) !== undefined) return;
  // While a person is asked whether the run goes on only what is in doubt is settled.
  if (run.budget.stop !== null && step.doubt === null) return;
  if (step.dueAt !== null && step.dueAt > env.now) return;
  if (step.policy === 'pure') return againPure(work, run, step);
  if (step.attempts.some((attempt) => attempt.status !== 'doubtful')) return;
  const { stepId } = step;
  if (step.deaths >= deathsMaxOf(run, stepId)) {
    // First it is found out whether it acted, as long as a machine can: then one question is asked, the right one.
    if (step.doubt !== null && isAskable(env, run, step)) return;
    return void (work.budget.steps -= openEscalation(draft, step, 'quarantine', env));
  }
  if (step.doubt !== null) {
    if (maySettleByCall(env, run, step)) tryAttempt(work, { run, step, settling: true });
    return;
  }
  if (step.tries >= triesMaxOf(run, stepId)) {
    return void (work.budget.steps -= openEscalation(draft, step, 'exhausted', env));
  }
  // The event that ends the hold wakes the run.
  if (env.rules.hold && hasEffect(step.policy) && isRecovering(run)) return;
  tryAttempt(work, { run, step, settling: false });
};

/** A pure attempt is never closed and never in doubt: when its time is over another one is made beside it. */
const againPure = (work: Work, run: LiveRun, step: StepState): void => {
  const { env } = work;
  const attempt = step.attempts[0];
  const over = attempt === undefined || env.now >= attempt.startBy + attempt.timeoutMs + env.settings.graceMs;
  if (over || step.dueAt !== null) tryAttempt(work, { run, step, settling: false });
};

type Try = { readonly run: LiveRun; readonly step: StepState; readonly settling: boolean };

const tryAttempt = (work: Work, { run, step, settling }: Try): void => {
  const { env } = work;
  const args = argsOf(run.program, run.input, run.progress, step.stepId);
  if ('problem' in args) throw new Error(`arguments of the open step ${step.stepId} are gone: ${args.problem}`);
  const { stepId, tool, nextAttempt } = step;
  const attempt = env.rules.newAttemptId ? nextAttempt : nextAttempt - 1;
  const problem = note(work, place(work, { stepId, attempt, tool, pin: pinOf(run, step), args: args.args, settling }));
  if (problem !== null && !settling) fail(work, stepId, problem);
};

/** Schedules an attempt, or asks whether it may be made. What settles a doubt goes on with what was approved. */
const place = (work: Work, wanted: NewAttempt): Scheduled => {
  const leave = wanted.settling ? null : leaveFor(work.draft, wanted, work.env, () => mayAsk(work));
  switch (leave?.leave) {
    case 'impossible':
      return { outcome: 'impossible', problem: leave.problem };
    case 'asked':
      asked(work, leave.weight);
      return { outcome: 'waits' };
    case 'put_off':
      return { outcome: 'waits' };
    case 'given':
      return scheduleAttempt(work, { ...wanted, approvalSeq: leave.approvalSeq });
    default:
      return scheduleAttempt(work, wanted);
  }
};

const scheduleReady = (work: Work): void => {
  const { draft, env, budget, questions } = work;
  const run = liveRun(draft);
  if (run === undefined || budget.steps <= 0 || isStopping(run) || run.budget.stop !== null) return;
  const held = env.rules.hold && isRecovering(run);
  const isFull = questions.left <= 0;
  const limit = held ? 4 * budget.steps : budget.steps;
  // Questions that are put off hold up nothing that comes after them.
  for (const step of ready(run.program, run.input, run.progress, isFull ? Infinity : limit)) {
    if (budget.steps <= 0) return;
    const problem = step.problem === undefined ? first(work, run, step, held) : bad('bad_reference', step.problem);
    if (problem === null) continue;
    fail(work, step.stepId, problem);
    // What is ready has changed: a failure may end the run, or skip steps, or let others begin.
    return scheduleReady(work);
  }
  if (!isFull && questions.left <= 0) scheduleReady(work);
};

const bad = (code: string, message: string): Problem => ({ code, message });

/** The first attempt of a step that has become ready. */
const first = (work: Work, run: LiveRun, { stepId, args }: ReadyStep, held: boolean): Problem | null => {
  const node = leafAt(run.program, stepId);
  if (isRun(node)) return child(work, stepId, args, held);
  if (isAsk(node)) {
    if (!mayAsk(work)) return null;
    const question = askQuestion(work.draft, { stepId, args }, node, work.env);
    if ('problem' in question) return question.problem;
    asked(work, question.weight);
    return null;
  }
  const { tool } = node;
  const pin = run.tools[tool];
  if (pin === undefined) throw new Error(`run ${run.runId} has no tool ${tool}`);
  if (held && hasEffect(pin.policy)) return null;
  return note(work, place(work, { stepId, attempt: 0, tool, pin, args, settling: false }));
};

/** The run of a step that begins one. What it does is not known beforehand: while a doubt holds this run, it waits. */
const child = (
  { draft, env, budget, missing, short }: Work,
  stepId: string,
  args: Json,
  held: boolean,
): Problem | null => {
  if (held) return null;
  const started = startChild(draft, stepId, args, env);
  if (started.outcome === 'impossible') return started.problem;
  if (started.outcome === 'short') short.push(started.short);
  else if (started.outcome === 'waits') missing.add(started.missing);
  else budget.steps -= 1;
  return null;
};

const note = ({ missing, short }: Work, scheduled: ReturnType<typeof scheduleAttempt>): Problem | null => {
  if (scheduled.outcome === 'short') short.push(scheduled.short);
  if (scheduled.outcome === 'unserved') missing.add(scheduled.missing);
  return scheduled.outcome === 'impossible' ? scheduled.problem : null;
};

const fail = ({ draft, budget }: Work, stepId: string, failure: Problem): void => {
  budget.steps -= 1;
  const attempt = openStep(liveRun(draft), stepId)?.nextAttempt ?? 0;
  const data = { stepId, attempt, session: null, failure, final: true, effect: 'none' } as const;
  record(draft, runEvent('StepFailed', data));
};

/** Said once for all that is missing, and again only when that changes. */
const sayWhatIsMissing = ({ draft, env, missing }: Work): void => {
  const run = liveRun(draft);
  if (run === undefined || run.end !== null || missing.size === 0) return;
  const waitingFor = [...missing].toSorted().join('; ');
  if (run.waiting?.waitingFor !== waitingFor) record(draft, runEvent('RunWaiting', { waitingFor, since: env.now }));
};
