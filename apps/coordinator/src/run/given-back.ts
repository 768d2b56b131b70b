import {
  amountOf,
  compareAmounts,
  minusOrNone,
  plus,
  usedUnder,
  type Amount,
  type Attempt,
  type LiveRun,
  type Shortage,
} from '@holdfast/events';

export const attemptsOf = (run: LiveRun): readonly Attempt[] => run.steps.flatMap(({ attempts }) => attempts);

/** Whether it could fit if everything under way gave back what it has reserved. */
export const mayBeGivenBack = (run: LiveRun, { name, kind, most, used, wanted }: Shortage): boolean => {
  const reserved = [
    ...attemptsOf(run).map(({ reservation }) => reservation),
    ...run.children.map((child) => child.reserved),
  ];
  const held = reserved.map((amounts) => usedUnder(amounts, name, kind));
  const sum = held.reduce<Amount>((total, amount) => plus(kind, total, amount), amountOf({}, kind));
  return compareAmounts(kind, plus(kind, minusOrNone(kind, used, sum), wanted), most) <= 0;
};

/** What is waited for then. */
export const heldBack = (short: readonly Shortage[]): string =>
  `${short.map(({ name }) => name).join(', ')}, which is reserved for what is under way`;
