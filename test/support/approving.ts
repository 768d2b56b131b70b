import type { ApprovalRule, Json } from '@holdfast/programs';
import { LaneHarness } from './lane-harness.js';
import { planOf, step } from './plans.js';

export const ARGS = { to: 'A', amount: '120.00' };
export const pay = (args: Json = ARGS, id = 'a') => step(id, 'verifiable', { args });
/** A lane with a run of one call, `a`, which the rules are about. */
export const leading = (
  rules: readonly ApprovalRule[] = [{ tool: 'verifiable' }],
  policy = 'verifiable',
): LaneHarness => new LaneHarness().seat().submit(planOf(step('a', policy, { args: ARGS })), { approvals: rules });
