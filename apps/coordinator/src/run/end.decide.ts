import {
  isStopped,
  isToBeUndone,
  runEvent,
  type Cancel,
  type EndCause,
  type EndReason,
  type Escalation,
  type KeyOfRun,
  type LiveRun,
  type StepState,
} from '@holdfast/events';
import { outcome, type Json } from '@holdfast/programs';
import { boundChildren, stopChildren, waitsForChildren } from '../children/child.decide.js';
import { kept } from './bounded.js';
import { liveRun, record, type RunDraft } from './draft.js';
import { cancelEndsAt } from './cancel-deadline.js';
import type { Env } from './env.js';
import { effectsReport } from './report.js';
import { returnsOf } from './returns.js';

/** Ends the run when its plan is done, or when it must end: cancelled, out of time, or nobody answered. */
export const endIfDone = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.end !== null) return;
  const end = endOf(run, env);
  if (end !== null) endRun(draft, end, env);
};

/** The run is over, with what it is known by then to have done. */
export const endRun = (draft: RunDraft, { output, ...end }: Ending, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.end !== null) return;
  stopChildren(draft, `the run that began it has ended: ${end.reason}`, env, end.cause.kind === 'kill');
  const report = effectsReport(run, env);
  const value = output === undefined ? {} : { output: keptOutput(output, env) };
  record(
    draft,
    runEvent('RunEnded', {
      ...end,
      ...value,
      ...(isUndone(run, end) ? {} : returnsOf(run)),
      ...familyOf(run),
      report,
      endedAt: env.now,
      spent: run.spent,
    }),
  );
};

/** Its key is for others only when its effects are undone. */
const isUndone = (run: LiveRun, { reason, cause }: Ending): boolean =>
  reason === 'cancelled' && cause.kind !== 'kill' && isToBeUndone(run);

/** Who began it, and what it has begun that is not over. */
const familyOf = ({ parent, children }: LiveRun) => ({
  ...(parent === null ? {} : { parent }),
  ...(children.length === 0
    ? {}
    : { children: children.map(({ childRunId: runId, detached }) => ({ runId, detached })) }),
});

const keptOutput = (output: Json, env: Env): Json => {
  const result = kept(output, env);
  return 'omitted' in result ? result.omitted : result.value;
};

export type Ending = {
  readonly reason: EndReason;
  readonly detail: string;
  readonly cause: EndCause;
  readonly output?: Json;
};

const endOf = (run: LiveRun, env: Env): Ending | null => {
  const open = run.steps.filter(mayAct);
  // A cancel that is history has won: whatever comes after it, the run ends cancelled.
  if (run.cancel !== null) return waitsForChildren(run, env) ? null : cancelEnd(run.cancel, open, env);
  const silent = Object.values(run.escalations).find(({ expired }) => expired);
  if (silent !== undefined) return silenceEnd(silent);
  if (run.concurrency?.status === 'denied') return deniedEnd(run.concurrency);
  if (env.now >= run.deadlineAt) {
    const detail = 'the run took longer than it was given';
    return { reason: 'deadline_exceeded', detail, cause: { kind: 'deadline', detail } };
  }
  return planEnd(run, open, env);
};

const cancelEnd = (cancel: Cancel, open: readonly StepState[], env: Env): Ending | null => {
  const over = env.now >= cancelEndsAt(cancel, env);
  if (open.length > 0 && !over) return null;
  const { reason, principal: by, requestId } = cancel;
  const asked = reason === '' ? 'it was asked for' : reason;
  const detail = open.length > 0 ? `${open.length} effects were open at the deadline` : asked;
  if (cancel.as === 'superseded') return { reason: 'superseded', detail, cause: { kind: 'key', detail: reason } };
  return { reason: 'cancelled', detail, cause: { kind: 'cancel', detail: reason, by, requestId } };
};

/** It never began: another run has its key, or it is about something older. */
const deniedEnd = ({ code, by, detail }: Extract<KeyOfRun, { status: 'denied' }>): Ending => {
  const full = code === 'queue_full' || code === 'too_many_keys';
  return { reason: full ? 'failed' : 'superseded', detail, cause: { kind: 'key', detail, by } };
};

/** Nobody answered in time, and that ends the run. */
export const silenceEnd = ({ stepId, seq, question }: Escalation): Ending => {
  const detail = `nobody answered about step ${stepId} in time: ${question}`;
  return { reason: 'escalation_expired', detail, cause: { kind: 'escalation', detail, stepId, escalationSeq: seq } };
};

const planEnd = (run: LiveRun, open: readonly StepState[], env: Env): Ending | null => {
  const done = outcome(run.program, run.input, run.progress);
  const stop = isStopped(run) ? run.budget.stop : null;
  if (done.status === 'running' && stop === null) return null;
  if (done.status === 'succeeded') {
    const free = open.length === 0 && boundChildren(run).length === 0 && Object.keys(run.escalations).length === 0;
    const cause = { kind: 'plan', detail: 'every step is done' } as const;
    return free ? { reason: 'succeeded', detail: '', output: done.output, cause } : null;
  }
  // What is under way may finish and what is in doubt may be settled, as long as a machine can do it.
  const waits = waitsForChildren(run, env) || open.some((step) => step.doubt === null || env.now < step.doubt.settleBy);
  if (waits) return null;
  if (done.status === 'running') return stopEnd(run);
  const { failure } = run;
  const detail = `step ${done.stepId} failed: ${failure === null ? done.detail : `${failure.message} (${failure.code})`}`;
  return { reason: 'failed', detail, cause: { kind: 'step', detail, stepId: done.stepId } };
};

const stopEnd = ({ budget: { stop } }: LiveRun): Ending | null => {
  if (stop === null) return null;
  const { reason, detail } = stop;
  return { reason, detail, cause: { kind: reason === 'looping' ? 'loop' : 'budget', detail } };
};

const mayAct = (step: StepState): boolean => step.policy !== 'pure' && step.attempts.length > 0;
