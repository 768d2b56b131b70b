import { DEFAULTS, leftOf, spentOfGrant, type Amount, type Amounts, type LiveRun } from '@holdfast/events';

/**
 * What is left to a run, for its tools to know: of the limits that somebody has set, of what its tenant has granted so
 * far, and of its time. Defaults are not worth telling.
 */
export const leftFor = (run: LiveRun, at: number): { readonly budget: Amounts } => {
  const { budget, spent, deadlineAt } = run;
  const set = Object.entries(budget.limits?.amounts ?? {}).filter(([name, most]) => most !== defaults[name]);
  const granted = Object.entries(leftOf(budget.grant?.total ?? {}, spentOfGrant(run)));
  return {
    budget: {
      ...leftOf(Object.fromEntries(set), spent),
      ...Object.fromEntries(granted.map(([name, left]) => [`granted:${name}`, left])),
      ...timeLeft(run, at),
      wallMs: Math.max(0, deadlineAt - at),
    },
  };
};

const timeLeft = ({ budget: { limits, idleSince } }: LiveRun, at: number): Amounts => {
  const { idleMs, depth = DEFAULTS.budget.depth } = limits ?? {};
  return {
    ...(idleMs === undefined ? {} : { idleMs: Math.max(0, idleMs - Math.max(0, at - (idleSince ?? at))) }),
    ...(depth === DEFAULTS.budget.depth ? {} : { depth }),
  };
};

const defaults: Readonly<Record<string, Amount>> = DEFAULTS.budget;
