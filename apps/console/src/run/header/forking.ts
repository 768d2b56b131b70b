import type { ForkPlan } from '@holdfast/api';

/** Steps whose effects would be made again and that nobody has allowed yet. */
export const missingLeave = (plan: Pick<ForkPlan, 'again'>, allowed: readonly string[]): readonly string[] =>
  plan.again.filter(({ repeat, stepId }) => repeat === 'ask' && !allowed.includes(stepId)).map(({ stepId }) => stepId);

const LONGEST = 190;

/** A name for the new run: `mission-1` becomes `mission-1-fork`, and that `mission-1-fork-2`. */
export const forkName = (runId: string): string => {
  const [, base = runId, number] = /^(.*)-fork(?:-(\d+))?$/s.exec(runId) ?? [];
  if (base === runId) return `${runId.slice(0, LONGEST)}-fork`;
  return `${base}-fork-${Number(number ?? 1) + 1}`;
};
