import { amountWords, DEFAULTS, leftOf, usedUnder, type Amount, type Amounts, type LiveRun } from '@holdfast/events';
import { tail, time, type WordsFor } from './phrases.js';

export const budgetWords: WordsFor<
  | 'BudgetWarned'
  | 'BudgetExhausted'
  | 'BudgetChanged'
  | 'IdleClockStarted'
  | 'LoopFound'
  | 'GrantAsked'
  | 'GrantReceived'
> = {
  BudgetWarned: ({ limit, used, most }) => `Most of a limit is used: ${limit} ${used}/${most}.`,
  BudgetExhausted: ({ detail, policy }) =>
    `The budget is used up: ${detail}. ${policy === 'ask' ? 'A person is asked for more.' : 'Nothing new is started.'}`,
  BudgetChanged: ({ limits, principal }) =>
    `${principal ?? 'Somebody'} has changed what the run may use: ${amounts(limits.amounts)}.`,
  IdleClockStarted: ({ since }) => `How long the run makes no progress is counted from ${time(since)} on.`,
  LoopFound: ({ level, detail, policy }) =>
    `${loopWords[level]}${tail(detail)}. ${level === 'stopped' ? stopWords[policy] : ''}`.trimEnd(),
  GrantAsked: ({ tenant, need }) => `Tenant ${tenant} is asked for a grant: ${amounts(need)}.`,
  GrantReceived: ({ tenant, total, denied }) =>
    denied === null
      ? `Tenant ${tenant} grants ${amounts(total)} in all.`
      : `Tenant ${tenant} grants no more: ${denied}.`,
};

const loopWords = { warned: 'The run may be going in a circle', stopped: 'The run goes in a circle' } as const;
const stopWords = { warn: '', end: 'Nothing new is started.', ask: 'A person is asked.' } as const;

export const amounts = (all: Amounts): string => {
  const words = Object.entries(all).map(([kind, amount]) => amountWords(kind, amount));
  return words.length === 0 ? 'nothing in particular' : words.join(', ');
};

/** What is used of the limits that somebody has set, and of those that are warned of. */
export const limitsWords = ({ budget, spent }: Pick<LiveRun, 'budget' | 'spent'>): readonly string[] => {
  const set = Object.entries(budget.limits?.amounts ?? {}).filter(
    ([name, most]) => name !== 'money' && (most !== defaults[name] || budget.warned.includes(name)),
  );
  const left = leftOf(Object.fromEntries(set), spent);
  return set.map(([name, most]) => `${name} ${usedUnder(spent, name)} of ${most} (${left[name]} left)`);
};

const defaults: Readonly<Record<string, Amount>> = DEFAULTS.budget;
