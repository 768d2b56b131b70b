import {
  addAmounts,
  callsKind,
  exceeded,
  heldBy,
  reservationOf,
  shortages,
  shortageWords,
  type Amounts,
  type LiveRun,
  type RunEventData,
} from '@holdfast/events';
import { randomHistory, UNRULY } from '../../../../test/support/budgets/history.js';
import type { BudgetWorld, Real } from '../../../../test/support/budgets/world.js';
import { spentForSure } from './given-back.js';
import type { Rules } from './rules.js';

const HISTORIES = 10_000;

/** What has really happened, by kind; a call that is repeated with the same key is one call. */
const reality = (world: BudgetWorld): Record<string, number> => {
  const all = [...world.real.values()];
  const begun = all.filter(({ began, settling }) => began && !settling);
  const effects = new Set(
    all.filter(({ applied, tool }) => applied && tool !== 'priced@1').map(({ stepId }) => stepId),
  );
  const sum = (of: (real: Real) => number) => all.reduce((total, real) => total + of(real), 0);
  const calls: Record<string, number> = {};
  for (const { tool } of begun) calls[callsKind(tool)] = (calls[callsKind(tool)] ?? 0) + 1;
  return {
    ...calls,
    steps: new Set(all.map(({ stepId }) => stepId)).size,
    effects: effects.size,
    tokensIn: sum(({ used }) => used.tokensIn),
    'money:USD': sum(({ used }) => used.cents) / 100,
  };
};

/** Limits that more has really been used of than they allow. */
const overshoots = (world: BudgetWorld, limits: LiveRun['budget']['limits']): readonly string[] => {
  const used = reality(world);
  const most = limits?.amounts ?? {};
  const calls = Object.entries(used).filter(([kind]) => kind.startsWith('calls:'));
  const total = (prefix: string) =>
    calls.filter(([kind]) => kind.startsWith(prefix)).reduce((sum, [, n]) => sum + n, 0);
  const over = (name: string, amount: number) =>
    amount > Number(most[name] ?? Infinity) ? [`${name} ${amount}/${most[name]}`] : [];
  return [
    ...['steps', 'effects', 'tokensIn', 'money:USD'].flatMap((name) => over(name, used[name] ?? 0)),
    ...over('calls', total('calls:')),
    ...over('calls:paid', total('calls:paid@')),
    ...over('calls:verifiable@1', used['calls:verifiable@1'] ?? 0),
  ];
};

/** Found in `count` random histories: how often more was used than is allowed. */
const search = (count: number, rules: Partial<Rules> = {}) => {
  let found = 0;
  for (let seed = 1; seed <= count; seed += 1) {
    let limits: LiveRun['budget']['limits'] = null;
    const world = randomHistory(seed, (now) => void (limits = now.live?.budget.limits ?? limits), rules);
    if (overshoots(world, limits).length > 0) found += 1;
  }
  return found;
};

/** What a run has spent, added up anew from what became of each attempt. */
const spentBy = (world: BudgetWorld): Record<string, number> => {
  const sum: Record<string, number> = {};
  const held = new Map<string, Amounts>();
  const add = (amounts: Amounts, sign: 1 | -1, only: (kind: string) => boolean = () => true) => {
    for (const [kind, amount] of Object.entries(amounts)) {
      if (only(kind)) sum[kind] = Math.round(((sum[kind] ?? 0) + sign * Number(amount)) * 100) / 100;
    }
  };
  const reported = (kind: string) => kind === 'tokensIn' || kind === 'money:USD';
  const open = new Map<string, number[]>();
  /** What is over gives back, or hands on to an attempt of its step that may still act. */
  const release = ({ stepId, attempt }: { stepId: string; attempt: number }, only: (kind: string) => boolean) => {
    const left = (open.get(stepId) ?? []).filter((known) => known !== attempt);
    const [heir] = left;
    const had = held.get(`${stepId}/${attempt}`) ?? {};
    if (heir === undefined) add(had, -1, only);
    else {
      const handedOn = Object.entries(had).filter(([kind]) => only('calls:') || !kind.startsWith('calls'));
      held.set(`${stepId}/${heir}`, addAmounts(held.get(`${stepId}/${heir}`) ?? {}, Object.fromEntries(handedOn)));
    }
    held.delete(`${stepId}/${attempt}`);
    open.set(stepId, left);
  };
  const notCalls = (kind: string) => !kind.startsWith('calls');
  const doubtful = new Map<string, { stepId: string; attempt: number; used: Amounts }[]>();
  for (const { type, data } of world.events) {
    if (type === 'StepScheduled') {
      add(reservationOf(data), 1);
      held.set(`${data.stepId}/${data.attempt}`, heldBy(reservationOf(data)));
      open.set(data.stepId, [...(open.get(data.stepId) ?? []), data.attempt]);
    } else if (type === 'AttemptClosed') release(data, () => true);
    else if (type === 'AttemptSkipped') {
      release(data, data.used === undefined ? () => true : notCalls);
      add(data.used ?? {}, 1);
    } else if (type === 'StepFailed' && data.effect === 'none') {
      release(data, data.used === undefined ? (kind) => kind === 'effects' : notCalls);
      add(data.used ?? {}, 1);
    } else if (type === 'StepSucceeded' && data.used !== undefined && held.has(`${data.stepId}/${data.attempt}`)) {
      release(data, reported);
      add(data.used, 1);
    } else if (type === 'DoubtOpened') {
      const used = data.used ?? {};
      doubtful.set(data.stepId, [...(doubtful.get(data.stepId) ?? []), { ...data, used }]);
    } else if (type === 'DoubtSettled') {
      for (const one of data.verdict === 'absent' ? (doubtful.get(data.stepId) ?? []) : []) {
        if (!held.has(`${one.stepId}/${one.attempt}`)) continue;
        release(one, notCalls);
        add(one.used, 1);
      }
      if (data.verdict === 'rerun') {
        held.delete(`${data.stepId}/${data.attempt}`);
        open.set(data.stepId, []);
      }
      if (data.verdict !== 'applied') doubtful.delete(data.stepId);
    }
  }
  return sum;
};

/** Everything that must hold after each move. */
const holds = (world: BudgetWorld): void => {
  const run = world.live;
  if (run === null || run.end !== null) return;
  const spent = Object.fromEntries(Object.entries(run.spent).map(([kind, amount]) => [kind, Number(amount)]));
  if (Object.values(spent).some((amount) => !(amount >= 0))) throw new Error(`negative: ${JSON.stringify(spent)}`);
  const expected = spentBy(world);
  for (const kind of Object.keys({ ...spent, ...expected })) {
    if ((spent[kind] ?? 0) !== (expected[kind] ?? 0))
      throw new Error(`${kind}: ${spent[kind]} is spent, not ${expected[kind]}`);
  }
};

describe('10,000 random histories', () => {
  it('never use more than they may of what is reserved beforehand', () => {
    expect(search(HISTORIES)).toBe(0);
  });

  it('give back each reservation once and keep it while it is in doubt, also after a take-over', () => {
    for (let seed = 1; seed <= HISTORIES / 4; seed += 1) randomHistory(seed, holds);
  });

  it.each(['reserveBeforeDispatch', 'keptWhileInDoubt'] as const)('overshoot without the rule %s', (rule) => {
    expect(search(HISTORIES / 10, { [rule]: false })).toBeGreaterThan(0);
  });

  it('schedule nothing that does not fit, also when limits change and calls report more than they reserved', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= HISTORIES / 10; seed += 1) {
      const world = randomHistory(seed, () => undefined, {}, UNRULY);
      world.events.forEach((event, at) => {
        seen.add(event.type === 'AttemptClosed' ? event.data.cause : event.type);
        if (event.type === 'StepScheduled') expect(fits(world, event.data, at)).toEqual([]);
      });
    }
    for (const type of ['RunSteered', 'CancelRequested', 'budget', 'BudgetExhausted']) expect(seen).toContain(type);
  });

  it('stop, end or wait for something, whatever is changed on the way, and fold to the same', () => {
    for (let seed = 1; seed <= HISTORIES / 10; seed += 1) {
      const world = randomHistory(seed, soundAfter, {}, UNRULY);
      world.takeOver();
    }
  });
});

/** Never less than nothing; and where more is used for sure than is allowed nothing new is started any more. */
const soundAfter = ({ live: run }: BudgetWorld): void => {
  if (run === null || run.end !== null || run.cancel !== null) return;
  if (Object.values(run.spent).some((amount) => !(Number(amount) >= 0))) {
    throw new Error(`negative: ${JSON.stringify(run.spent)}`);
  }
  const short = exceeded(run.budget.limits?.amounts ?? {}, spentForSure(run));
  if (short.length > 0 && run.budget.stop === null) throw new Error(`goes on: ${short.map(shortageWords).join('; ')}`);
};

const fits = (world: BudgetWorld, data: RunEventData<'StepScheduled'>, at: number) => {
  const said = world.events.slice(0, at).findLast(({ type, data: of }) => type === 'RunAccepted' || 'limits' in of);
  const most = said !== undefined && 'limits' in said.data ? (said.data.limits?.amounts ?? {}) : {};
  return shortages(most, world.spentAfter(at), reservationOf(data));
};
