import { LIMITS, nextReminder, type Escalation, type LiveRun } from '@holdfast/events';
import type { Env } from './env.js';

/** From when on silence counts: clocks may differ, and an answer bears the broker's. */
export const silenceAt = ({ expiresAt }: Escalation, { rules, settings }: Env): number =>
  rules.answersBeforeExpiry ? expiresAt + settings.skewMs : expiresAt;

/** Whether the time of a question is over, as far as the clock goes. */
export const isOver = (escalation: Escalation, env: Env): boolean =>
  !escalation.expired && env.now >= silenceAt(escalation, env);

/** Whether the answers that were given in time are known. */
export const isRead = (escalation: Escalation, env: Env): boolean =>
  !env.rules.answersBeforeExpiry || env.answersReadAt >= silenceAt(escalation, env);

/** Whether a question's time is over and answers that were given in time may not have been read. */
export const waitsForReading = (run: LiveRun, env: Env): boolean =>
  Object.values(run.escalations).some((escalation) => isOver(escalation, env) && !isRead(escalation, env));

/** When somebody is to be reminded; Infinity when nobody is any more. */
export const reminderDue = (escalation: Escalation): number => {
  const at = nextReminder(escalation);
  return at < escalation.expiresAt && escalation.reminded.nth < LIMITS.remindersMax ? at : Infinity;
};
