import {
  amountOf,
  compareAmounts,
  exceeded,
  minusOrNone,
  plus,
  releaseReserved,
  usedUnder,
  type Amount,
  type Amounts,
  type Attempt,
  type ChildRun,
  type LiveRun,
  type Shortage,
} from '@holdfast/events';

export const attemptsOf = (run: LiveRun): readonly Attempt[] => run.steps.flatMap(({ attempts }) => attempts);

/** Whether it could fit if everything under way gave back what it has reserved. */
export const mayBeGivenBack = (
  run: LiveRun,
  { name, kind, most, used, wanted }: Shortage,
  ofChild: (child: ChildRun) => boolean = () => true,
): boolean => {
  const reserved = [
    ...attemptsOf(run).map(({ reservation }) => reservation),
    ...run.children.filter(ofChild).map((child) => child.reserved),
  ];
  const held = reserved.map((amounts) => usedUnder(amounts, name, kind));
  const sum = held.reduce<Amount>((total, amount) => plus(kind, total, amount), amountOf({}, kind));
  return compareAmounts(kind, plus(kind, minusOrNone(kind, used, sum), wanted), most) <= 0;
};

/** What is waited for then. */
export const heldBack = (short: readonly Shortage[]): string =>
  `${short.map(({ name }) => name).join(', ')}, which is reserved for what is under way`;

/** What stays counted when all attempts are closed that nobody has begun. What settles a doubt gives nothing back. */
export const spentForSure = (run: LiveRun): Amounts =>
  run.steps
    .filter(({ policy, attempts }) => policy !== 'pure' && attempts.every(({ status }) => status === 'open'))
    .flatMap(({ attempts }) => attempts)
    .reduce<Amounts>((spent, { reservation }) => releaseReserved(spent, reservation), run.spent);

const above = new WeakMap<LiveRun, boolean>();

/** Whether more is reserved and used than is allowed. It is asked for each attempt of a run. */
export const isAboveLimits = (run: LiveRun): boolean => {
  const known = above.get(run);
  if (known !== undefined) return known;
  const { limits } = run.budget;
  const is = limits !== null && exceeded(limits.amounts, run.spent).length > 0;
  above.set(run, is);
  return is;
};
