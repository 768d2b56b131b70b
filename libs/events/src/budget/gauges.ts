import { DEFAULTS } from '../limits.js';
import type { LiveRun } from '../run/run.state.js';
import { amountOf, isMoney, isNone, moneyKind, type Amount, type Amounts } from './amounts.js';
import { leftOf, usedUnder } from './limits.js';

/** One limit, or what is used without any. Amounts are text, since money is decimal. */
export type Gauge = {
  readonly kind: string;
  readonly used: string;
  readonly limit: string | null;
  readonly left: string | null;
};

/** What a run has used of its limits: those that somebody has set, and those of which something is used. */
export const gaugesOf = ({ budget, spent }: Pick<LiveRun, 'budget' | 'spent'>): readonly Gauge[] => {
  const limits = withCurrencies(budget.limits?.amounts ?? {}, spent);
  const left = leftOf(limits, spent);
  const gauges: Gauge[] = [];
  for (const [kind, most] of Object.entries(limits)) {
    const used = usedUnder(spent, kind);
    if (kind === 'money' || (isNone(kind, used) && most === defaults[kind])) continue;
    gauges.push({ kind, used: String(used), limit: String(most), left: String(left[kind]) });
  }
  for (const [kind, used] of Object.entries(spent)) {
    if (Object.hasOwn(limits, kind) || isNone(kind, used)) continue;
    gauges.push({ kind, used: String(used), limit: null, left: null });
  }
  return gauges;
};

const defaults: Readonly<Record<string, unknown>> = DEFAULTS.budget;

/** The limit of money is one for each currency that is not named itself. */
const withCurrencies = (limits: Amounts, spent: Amounts): Amounts => {
  if (!Object.hasOwn(limits, 'money')) return limits;
  const each: Record<string, Amount> = {};
  const prefix = moneyKind('');
  for (const kind of Object.keys(spent))
    if (isMoney(kind) && kind.startsWith(prefix) && !Object.hasOwn(limits, kind))
      each[kind] = amountOf(limits, 'money');
  return { ...limits, ...each };
};
