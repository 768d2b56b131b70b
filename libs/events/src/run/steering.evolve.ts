import { applyBudgetChanged } from '../budget/budget.evolve.js';
import { widened, withWindows } from '@holdfast/programs';
import type { RunEventData } from './run.events.js';
import type { LiveRun } from './run.state.js';
import { mustBeOpen, withoutEscalation } from './escalation.evolve.js';

export const applyPaused = (run: LiveRun, { principal, reason, pausedAt }: RunEventData<'RunPaused'>): LiveRun => ({
  ...run,
  paused: { principal, reason, since: pausedAt },
});

export const applySteered = (run: LiveRun, data: RunEventData<'RunSteered'>): LiveRun => {
  const { deadlineAt, windows, limits, withdraws = [] } = data;
  const asked = withdraws.reduce((next, seq) => withoutEscalation(next, mustBeOpen(next, seq).seq), run);
  const bounded = limits === undefined ? asked : applyBudgetChanged(asked, { limits });
  const steered = deadlineAt === undefined ? bounded : withDeadline(bounded, deadlineAt);
  if (windows === undefined) return steered;
  const program = withWindows(run.program, windows);
  return { ...steered, program, progress: widened(program, run.input, run.progress) };
};

/** Another deadline is warned of anew. */
const withDeadline = (run: LiveRun, deadlineAt: number): LiveRun => {
  const warned = run.budget.warned.filter((limit) => limit !== 'wallMs');
  return { ...run, deadlineAt, budget: { ...run.budget, warned } };
};
