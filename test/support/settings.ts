import type { Settings } from '../../apps/coordinator/src/run/env.js';

export const settings: Settings = {
  startByMs: 10_000,
  graceMs: 200,
  skewMs: 100,
  settleByMs: 60_000,
  escalationMs: 100_000,
  cancelMs: 5_000,
  endLeadMs: 0,
  runMs: 1_000_000,
  probesMax: 3,
  decisionBytes: 900 * 1024,
  snapshotEvents: 0,
  snapshotEveryMs: 0,
};
