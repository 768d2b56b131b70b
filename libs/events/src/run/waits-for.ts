import { ready } from '@holdfast/programs';
import { hasEffect } from '../policy.js';
import { escalationOf, isRecovering, waitsForKey, type Attempt, type LiveRun, type StepState } from './run.state.js';
import { isStopping, maySettleAgain } from './settling.js';

/** What a run can wait for. */
export const waitKinds = [
  /** Somebody to resume it. */
  'resume',
  /** The key that it shares with other runs. */
  'key',
  /** A run that it has begun. */
  'child',
  /** The run that undoes its effects. */
  'undo',
  /** A person's answer. */
  'answer',
  /** The end of a pause between two tries. */
  'backoff',
  /** A session that claims the attempt. */
  'claim',
  /** The word of whoever makes the attempt. */
  'outcome',
  /** The proof that nobody has claimed it, or who has. */
  'closing',
  /** That nothing can land any more. */
  'settling',
  /** The tool's word on what it did. */
  'verdict',
  /** What is in doubt and holds the run. */
  'doubt',
  /** A place in a queue, or an executor that serves the tool. */
  'place',
] as const;
export type WaitKind = (typeof waitKinds)[number];

export type Wait = {
  readonly what: WaitKind;
  readonly stepId: string | null;
  /** When it is over by itself, epoch ms. Null only once the run has ended: what is in doubt then may stay so. */
  readonly dueAt: number | null;
  /** What is missing, where the run has said so. */
  readonly detail?: string;
};

/** `skewMs`: an answer bears the time of the broker's clock, so that silence counts that much later. */
export type WaitTimes = { readonly now: number; readonly graceMs: number; readonly skewMs: number };

/** When the run ends if nothing happens any more, epoch ms; null once it has ended. */
export const endsBy = (run: LiveRun): number | null => {
  if (run.end !== null) return null;
  return Math.min(run.deadlineAt, run.cancel?.deadlineAt ?? Infinity);
};

/**
 * All that a run waits for, each with the moment from which on something else follows from time alone. What is due is
 * not waited for any more: then the next thing is. A run that has not ended always waits for something.
 */
export const waitsFor = (run: LiveRun, times: WaitTimes): readonly Wait[] => {
  const end = endsBy(run);
  const clipped = (wait: Wait): Wait =>
    end === null || (wait.dueAt !== null && wait.dueAt < end) ? wait : { ...wait, dueAt: end };
  return [
    ...paused(run),
    ...keyWait(run),
    ...children(run),
    ...undoing(run),
    ...answers(run, times),
    ...run.steps.flatMap((step) => stepWaits(run, step, times)),
    ...starts(run),
  ].map(clipped);
};

const paused = (run: LiveRun): readonly Wait[] =>
  run.paused === null ? [] : [{ what: 'resume', stepId: null, dueAt: null, detail: run.paused.reason }];

const keyWait = (run: LiveRun): readonly Wait[] => {
  const { concurrency: own, validUntil: dueAt } = run;
  if (own === null || run.end !== null || (own.status !== 'asked' && own.status !== 'waiting')) return [];
  const held = own.status === 'waiting' ? `, held by run ${own.holder} (number ${own.place})` : '';
  return [{ what: 'key', stepId: null, dueAt, detail: `the key ${own.key}${held}` }];
};

/** Steps that wait for another run, and a run that is stopped and waits for those that it has begun. */
const children = (run: LiveRun): readonly Wait[] =>
  (run.end === null ? run.children : []).flatMap((child): readonly Wait[] => {
    const { childRunId, deadlineAt, detached, stopped, waiting } = child;
    const detail = `run ${childRunId}`;
    const bound = stopped || (waiting.length === 0 && !detached);
    if (bound) return [{ what: 'child', stepId: null, dueAt: deadlineAt, detail }];
    return waiting.map(({ stepId, until }) => ({ what: 'child', stepId, dueAt: until ?? deadlineAt, detail }));
  });

const undoing = ({ undo }: LiveRun): readonly Wait[] =>
  undo?.status === 'running'
    ? [{ what: 'undo', stepId: null, dueAt: undo.deadlineAt, detail: `run ${undo.runId}, which undoes its effects` }]
    : [];

/** Silence counts once the clocks cannot differ about it any more, and then when all that was asked has been read. */
const answers = (run: LiveRun, { now, skewMs }: WaitTimes): readonly Wait[] =>
  Object.values(run.escalations).map(({ stepId, expired, expiresAt, question }) => ({
    what: 'answer',
    stepId,
    dueAt: expired || now >= expiresAt + skewMs ? null : expiresAt + skewMs,
    detail: question,
  }));

const stepWaits = (run: LiveRun, step: StepState, times: WaitTimes): readonly Wait[] => {
  const open = step.attempts.filter(({ status }) => status !== 'doubtful');
  if (open.length > 0) return open.map((attempt) => attemptWait(step, attempt, times));
  if (escalationOf(run, step.stepId) !== undefined) return [];
  if (step.doubt !== null) return [doubtWait(run, step, times)];
  if (run.end !== null) return [];
  if (step.dueAt !== null && step.dueAt > times.now) return [waitOf('backoff', step, step.dueAt)];
  return [startWait(run, step)];
};

const waitOf = (what: WaitKind, { stepId }: Pick<StepState, 'stepId'>, dueAt: number | null): Wait => ({
  what,
  stepId,
  dueAt,
});

const attemptWait = (step: StepState, attempt: Attempt, { now, graceMs }: WaitTimes): Wait => {
  const { startBy, timeoutMs, holder } = attempt;
  const outcomeBy = (holder?.deadline ?? startBy + timeoutMs) + graceMs;
  if (step.policy === 'pure')
    return waitOf(now < outcomeBy ? 'outcome' : 'place', step, now < outcomeBy ? outcomeBy : null);
  if (holder !== null) return waitOf('outcome', step, outcomeBy);
  return now < startBy ? waitOf('claim', step, startBy) : waitOf('closing', step, null);
};

const doubtWait = (run: LiveRun, step: StepState, { now }: WaitTimes): Wait => {
  const { settledAt = 0, settleBy = 0 } = step.doubt ?? {};
  if (step.policy === 'keyed' && maySettleAgain(run, step)) return waitOf('place', step, null);
  const isAsked = step.policy !== 'unprotected' && run.tools[step.tool]?.verify === true;
  if (isAsked) return waitOf('verdict', step, now < settleBy ? settleBy : null);
  return waitOf('settling', step, now < settledAt ? settledAt : null);
};

/** What keeps a step from being made that could be. */
const startWait = (run: LiveRun, step: Pick<StepState, 'stepId' | 'policy'>): Wait => {
  if (hasEffect(step.policy) && isRecovering(run)) return waitOf('doubt', step, null);
  const wait = waitOf('place', step, null);
  return run.waiting === null ? wait : { ...wait, detail: run.waiting.waitingFor };
};

/** Steps that could be made and never were. One of them tells what all of them wait for. */
const starts = (run: LiveRun): readonly Wait[] => {
  if (run.paused !== null || waitsForKey(run) || isStopping(run)) return [];
  const [next] = ready(run.program, run.input, run.progress, 1);
  if (next === undefined) return [];
  const { stepId } = next;
  return [startWait(run, { stepId, policy: 'unprotected' })];
};
