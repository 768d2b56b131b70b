import { DEFAULTS, LIMITS } from '@holdfast/events';
import { baseConfigSchema, list, millis, wholeNumber } from '@holdfast/service';
import type { z } from 'zod';
import type { Settings } from './run/env.js';

/** Configuration of a coordinator: what every service has, and the times of its decisions. */
export const coordinatorConfigSchema = baseConfigSchema.extend({
  settleByMs: millis(1)
    .default(DEFAULTS.settleByMs)
    .describe('how long a doubt may stay with the reconciler before a person is asked'),
  escalationMs: millis(1, 365 * 86_400_000)
    .default(DEFAULTS.escalationMs)
    .describe('how long a person has for an answer'),
  cancelMs: millis(1).default(DEFAULTS.cancelMs).describe('deadline of a cancel that names none'),
  runMs: millis(1, 365 * 86_400_000)
    .default(DEFAULTS.runMs)
    .describe('time for a run that names none'),
  probesMax: wholeNumber(1, 1_000).default(DEFAULTS.probesMax).describe('questions in vain before a person is asked'),
  acceptLostInputs: list('lane numbers with commas between', (part) => /^\d+$/.test(part))
    .default([])
    .describe('lanes that may go on although inputs that nobody read are gone; recorded as InputsLost'),
  snapshotEvents: wholeNumber(0, 100_000_000)
    .default(DEFAULTS.snapshotEvents)
    .describe('events of a lane between snapshots, see docs/snapshots.md; 0: none is taken or used'),
  snapshotEveryMs: millis(0)
    .default(DEFAULTS.snapshotEveryMs)
    .describe('how far apart snapshots of a lane are at least'),
  tickMs: millis(5, 1_000).default(50).describe('how often due times are looked at'),
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
  snapshotEvents: config.snapshotEvents,
  snapshotEveryMs: config.snapshotEveryMs,
  ...(config.traceEndpoint === undefined ? {} : { traceRatio: config.traceRatio }),
});
