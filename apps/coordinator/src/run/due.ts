import type { LiveRun } from '@holdfast/events';
import type { Env } from './env.js';
import { holderOf } from './attempts.js';

/** The next moment at which time alone may lead to something for the run, epoch ms. Timers live in state, nowhere else. */
export const nextDue = (run: LiveRun, env: Env): number => {
  let due = run.end === null ? run.deadlineAt : Infinity;
  const at = (time: number) => {
    // What is due already and led to nothing waits for something else, which will wake the run.
    if (time > env.now && time < due) due = time;
  };
  if (run.cancel !== null && run.end === null) at(run.cancel.deadlineAt);
  for (const escalation of Object.values(run.escalations)) if (!escalation.expired) at(escalation.expiresAt);
  for (const step of Object.values(run.steps)) {
    if (step.dueAt !== null) at(step.dueAt);
    if (step.doubt !== null) {
      at(step.doubt.settledAt);
      at(step.doubt.settleBy);
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
