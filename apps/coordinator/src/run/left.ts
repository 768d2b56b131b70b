import { DEFAULTS, leftOf, type Amount, type Amounts, type LiveRun } from '@holdfast/events';

/** What is left to a run of the limits that somebody has set, for its tools to know. Defaults are not worth telling. */
export const leftFor = ({ budget, spent }: LiveRun): { readonly budget?: Amounts } => {
  const set = Object.entries(budget.limits?.amounts ?? {}).filter(([name, most]) => most !== defaults[name]);
  if (set.length === 0) return {};
  return { budget: leftOf(Object.fromEntries(set), spent) };
};

const defaults: Readonly<Record<string, Amount>> = DEFAULTS.budget;
