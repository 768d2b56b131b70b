import type { PlanStep } from '../plan.js';
import type { CatalogueTool, PlanLimits } from './catalogue.js';
import { placeOf, type PlanProblem } from './problem.js';

/** Whether a step may use its tool as it does: its time-out, and how long the tool remembers a key. */
export const toolProblems = (
  step: PlanStep,
  tool: CatalogueTool,
  at: string,
  limits: PlanLimits,
): readonly PlanProblem[] => [...timeoutProblems(step, tool, at), ...keyProblems(step, tool, at, limits)];

const timeoutProblems = (step: PlanStep, tool: CatalogueTool, at: string): readonly PlanProblem[] => {
  if (step.timeoutMs === undefined || step.timeoutMs <= tool.timeoutMs) return [];
  const message = `${step.timeoutMs} ms is above the ${tool.timeoutMs} ms of ${step.tool}`;
  return [{ at: placeOf(at, 'timeoutMs'), code: 'timeout_too_long', message }];
};

const keyProblems = (
  step: PlanStep,
  tool: CatalogueTool,
  at: string,
  { runDeadlineMs, startByMs }: PlanLimits,
): readonly PlanProblem[] => {
  if (tool.policy !== 'keyed') return [];
  const keyTtlMs = tool.keyTtlMs ?? 0;
  const attemptMs = startByMs + tool.timeoutMs + (tool.settleMs ?? 0);
  const neededMs = Math.max(runDeadlineMs, attemptMs);
  if (keyTtlMs > neededMs) return [];
  const whose = runDeadlineMs >= attemptMs ? "the run's deadline" : 'the time one attempt may take';
  const message = `${step.tool} remembers a key for ${keyTtlMs} ms, which is not longer than ${whose}, ${neededMs} ms`;
  return [{ at: placeOf(at, 'tool'), code: 'key_time_too_short', message }];
};
