import type { Json, Plan, Template } from './plan.js';
import type { PlanOutcome, Progress } from './progress.js';
import { lookIn, topFrame, type Frame } from './frame.js';
import { resolve } from './resolve.js';
import { causeOfStop, isComplete } from './scope-state.js';

/** How the plan stands: it has failed as soon as a step has whose failure is not tolerated, whatever is still open. */
export const outcome = (plan: Plan, input: Json, progress: Progress): PlanOutcome => {
  const frame = topFrame(plan, input, progress);
  const cause = causeOfStop(frame.scope, progress, '');
  if (cause !== undefined) return { status: 'failed', stepId: cause, detail: `${cause} failed and ends the plan` };
  if (!isComplete(frame.scope, progress)) return { status: 'running' };
  return { status: 'succeeded', output: outputOf(frame, plan.output ?? null) };
};

// All effects are done by now: a reference to a step that was skipped, or to a field that its result does not have,
// shows as null instead of failing a run that succeeded.
const outputOf = (frame: Frame, template: Template): Json => {
  const look = lookIn(frame);
  const resolved = resolve(template, (reference) => {
    const found = look(reference);
    return 'problem' in found ? { value: null } : found;
  });
  return 'problem' in resolved ? null : resolved.value;
};
