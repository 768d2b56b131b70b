import { DEFAULTS, LIMITS } from '@holdfast/events';
import { baseConfigSchema, list, millis, wholeNumber } from '@holdfast/service';
import type { z } from 'zod';
import type { Settings } from './run/env.js';

/** Configuration of a coordinator: what every service has, and the times of its decisions. */
export const coordinatorConfigSchema = baseConfigSchema.extend({
  /** How long a doubt may stay with the reconciler before a person is asked. */
  settleByMs: millis(1).default(DEFAULTS.settleByMs),
  escalationMs: millis(1, 365 * 86_400_000).default(DEFAULTS.escalationMs),
  cancelMs: millis(1).default(DEFAULTS.cancelMs),
  /** How long a run may take where it does not say. */
  runMs: millis(1, 365 * 86_400_000).default(DEFAULTS.runMs),
  probesMax: wholeNumber(1, 1_000).default(DEFAULTS.probesMax),
  /** Lanes that may go on although inputs that nobody read are no longer kept; recorded as `InputsLost`. */
  acceptLostInputs: list('lane numbers with commas between', (part) => /^\d+$/.test(part)).default([]),
  /** How often due times are looked at. */
  tickMs: millis(5, 1_000).default(50),
});
export type CoordinatorConfig = z.output<typeof coordinatorConfigSchema>;

export const settingsOf = (config: CoordinatorConfig): Settings => ({
  startByMs: config.startByMs,
  graceMs: config.graceMs,
  skewMs: config.skewMs,
  settleByMs: config.settleByMs,
  escalationMs: config.escalationMs,
  cancelMs: config.cancelMs,
  endLeadMs: DEFAULTS.endLeadMs,
  runMs: config.runMs,
  probesMax: config.probesMax,
  decisionBytes: LIMITS.decisionBytes,
});
