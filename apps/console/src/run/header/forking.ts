import type { ForkPlan } from '@holdfast/api';

type Again = ForkPlan['again'][number];

/** Steps that are alike, with the name under which they may be allowed all at once: `document[*].file`. */
export type Alike = { readonly name: string; readonly steps: readonly Again[] };

/** The steps that are done again: those that need leave first, items of one `forEach` together. */
export const alike = (plan: Pick<ForkPlan, 'again'>): readonly Alike[] => {
  const groups = new Map<string, Again[]>();
  for (const step of plan.again) {
    const key = `${step.repeat} ${step.effect} ${patternOf(step.stepId)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [step]);
    else group.push(step);
  }
  const named = [...groups.values()].map((steps) => ({ name: nameOf(steps), steps }));
  return named.toSorted((one, other) => order(one) - order(other));
};

const patternOf = (stepId: string): string => stepId.replaceAll(/\[\d+\]/g, '[*]');
const nameOf = (steps: readonly Again[]): string => {
  const [first] = steps;
  if (first === undefined) return '';
  return steps.length === 1 ? first.stepId : patternOf(first.stepId);
};
const needsLeave = ({ steps }: Alike): boolean => steps.some(({ repeat }) => repeat === 'ask');
const order = (group: Alike): number => (needsLeave(group) ? 0 : 1);

/** Steps whose effects would be made again and that nobody has allowed yet. */
export const missingLeave = (plan: Pick<ForkPlan, 'again'>, allowed: readonly string[]): readonly string[] =>
  plan.again
    .filter(
      ({ repeat, stepId }) => repeat === 'ask' && !allowed.includes(stepId) && !allowed.includes(patternOf(stepId)),
    )
    .map(({ stepId }) => stepId);

const LONGEST = 190;

/** A name for the new run: `mission-1` becomes `mission-1-fork`, and that `mission-1-fork-2`. */
export const forkName = (runId: string): string => {
  const [, base = runId, number] = /^(.*)-fork(?:-(\d+))?$/s.exec(runId) ?? [];
  if (base === runId) return `${runId.slice(0, LONGEST)}-fork`;
  return `${base}-fork-${Number(number ?? 1) + 1}`;
};
