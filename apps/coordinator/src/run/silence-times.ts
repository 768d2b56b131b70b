import { nextReminder, type Escalation } from '@holdfast/events';
import type { Env } from './env.js';

/** From when on silence counts: clocks may differ, and an answer bears the broker's. */
export const silenceAt = ({ expiresAt }: Escalation, { rules, settings }: Env): number =>
  rules.answersBeforeExpiry ? expiresAt + settings.skewMs : expiresAt;

/** Whether the time of a question is over, as far as the clock goes. */
export const isOver = (escalation: Escalation, env: Env): boolean =>
  !escalation.expired && env.now >= silenceAt(escalation, env);

/** When somebody is to be reminded; Infinity when nobody is any more. */
export const reminderDue = (escalation: Escalation): number => {
  const at = nextReminder(escalation);
  return at < escalation.expiresAt ? at : Infinity;
};
