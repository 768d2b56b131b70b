import { runEvent, type EndReason, type LiveRun, type StepState } from '@holdfast/events';
import { outcome, type Json } from '@holdfast/programs';
import { kept } from './bounded.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { effectsReport } from './report.js';

/** Ends the run when its plan is done, or when it must end: cancelled, out of time, or nobody answered. */
export const endIfDone = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.end !== null) return;
  const end = endOf(run, env);
  if (end === null) return;
  record(
    draft,
    runEvent('RunEnded', {
      reason: end.reason,
      detail: end.detail,
      ...(end.output === undefined ? {} : { output: keptOutput(end.output, env) }),
      report: effectsReport(run),
      endedAt: env.now,
    }),
  );
};

const keptOutput = (output: Json, env: Env): Json => {
  const result = kept(output, env);
  return 'omitted' in result ? result.omitted : result.value;
};

type Ending = { readonly reason: EndReason; readonly detail: string; readonly output?: Json };

const endOf = (run: LiveRun, env: Env): Ending | null => {
  if (Object.values(run.escalations).some(({ expired }) => expired)) {
    return { reason: 'escalation_expired', detail: 'nobody answered in time' };
  }
  const open = run.steps.filter(mayAct);
  if (run.cancel !== null) {
    const over = env.now >= run.cancel.deadlineAt;
    if (open.length > 0 && !over) return null;
    return {
      reason: 'cancelled',
      detail: over && open.length > 0 ? `${open.length} effects were open at the deadline` : run.cancel.reason,
    };
  }
  if (env.now >= run.deadlineAt)
    return { reason: 'deadline_exceeded', detail: 'the run took longer than it was given' };
  return planEnd(run, open, env);
};

const planEnd = (run: LiveRun, open: readonly StepState[], env: Env): Ending | null => {
  const done = outcome(run.program, run.input, run.progress);
  if (done.status === 'running') return null;
  if (done.status === 'succeeded') {
    const free = open.length === 0 && Object.keys(run.escalations).length === 0;
    return free ? { reason: 'succeeded', detail: '', output: done.output } : null;
  }
  // What is under way may finish and what is in doubt may be settled, as long as a machine can do it.
  const waits = open.some((step) => step.doubt === null || env.now < step.doubt.settleBy);
  return waits ? null : { reason: 'failed', detail: `step ${done.stepId} failed: ${done.detail}` };
};

const mayAct = (step: StepState): boolean => step.policy !== 'pure' && step.attempts.length > 0;

/** Nobody answered in time: the run ends. Answers whether all were looked at within `eventsMax` events. */
export const expireEscalations = (draft: RunDraft, env: Env, eventsMax: number): boolean => {
  const before = draft.events.length;
  for (const escalation of Object.values(liveRun(draft)?.escalations ?? {})) {
    if (escalation.expired || env.now < escalation.expiresAt) continue;
    if (draft.events.length - before >= eventsMax) return false;
    const { stepId, attempt, seq } = escalation;
    record(draft, runEvent('EscalationExpired', { stepId, attempt, escalationSeq: seq }));
    const run = liveRun(draft);
    if (run === undefined || run.end !== null) continue;
    const detail = `nobody answered about step ${stepId} in time: ${escalation.question}`;
    record(
      draft,
      runEvent('RunEnded', { reason: 'escalation_expired', detail, report: effectsReport(run), endedAt: env.now }),
    );
  }
  return true;
};
