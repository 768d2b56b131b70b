import { applyBudgetChanged } from '../budget/budget.evolve.js';
import { widened, withWindows } from '@holdfast/programs';
import type { RunEventData } from './run.events.js';
import type { LiveRun } from './run.state.js';

export const applyPaused = (run: LiveRun, { principal, reason, pausedAt }: RunEventData<'RunPaused'>): LiveRun => ({
  ...run,
  paused: { principal, reason, since: pausedAt },
});

export const applySteered = (run: LiveRun, { deadlineAt, windows, limits }: RunEventData<'RunSteered'>): LiveRun => {
  const bounded = limits === undefined ? run : applyBudgetChanged(run, { limits });
  const steered = { ...bounded, deadlineAt: deadlineAt ?? run.deadlineAt };
  if (windows === undefined) return steered;
  const program = withWindows(run.program, windows);
  return { ...steered, program, progress: widened(program, run.input, run.progress) };
};
