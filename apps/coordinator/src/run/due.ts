import type { LiveRun } from '@holdfast/events';
import { cancelEndsAt } from './cancel-deadline.js';
import { budgetDue } from './budget.decide.js';
import type { Env } from './env.js';
import { reminderDue, silenceAt } from './silence-times.js';
import { holderOf, keyWindowEnd, pinOf } from './attempts.js';

/**
 * The next moment at which time alone may lead to something for the run, epoch ms. Timers live in state, nowhere else.
 * `decidedAt` is when the run was last decided about: what was due by then and led to nothing waits for something else,
 * which will wake the run; what has become due since has not been looked at.
 */
export const nextDue = (run: LiveRun, env: Env, decidedAt: number): number => {
  let due = Infinity;
  const at = (time: number) => {
    if (time > decidedAt && time < due) due = time;
  };
  if (run.end === null) at(run.deadlineAt);
  if (run.validUntil !== null && run.end === null && run.cancel === null) at(run.validUntil);
  if (run.cancel !== null && run.end === null) at(cancelEndsAt(run.cancel, env));
  if (run.undo?.status === 'running') at(run.undo.deadlineAt + env.settings.cancelMs);
  for (const { status, stopped, deadlineAt, waiting } of run.end === null ? run.children : []) {
    if (stopped && deadlineAt !== null) at(deadlineAt);
    for (const { until } of waiting) if (until !== null && status === 'running') at(until);
  }
  for (const time of budgetDue(run)) at(time);
  for (const escalation of Object.values(run.escalations)) {
    if (escalation.expired) continue;
    at(silenceAt(escalation, env));
    at(reminderDue(escalation));
  }
  for (const step of run.steps) {
    if (step.dueAt !== null) at(step.dueAt);
    if (step.doubt !== null) {
      at(step.doubt.settledAt);
      at(step.doubt.settleBy);
      if (step.policy === 'keyed') at(keyWindowEnd(run, step) - pinOf(run, step).timeoutMs - env.settings.startByMs);
    }
    for (const attempt of step.attempts) {
      if (attempt.status === 'open') at(attempt.startBy);
      if (step.policy === 'pure') at(attempt.startBy + attempt.timeoutMs + env.settings.graceMs);
      const holder = attempt.status === 'doubtful' ? null : holderOf(env, run, step, attempt);
      if (holder !== null) at(holder.deadline + env.settings.graceMs);
    }
  }
  return due;
};
