import type { Budget, Plan } from '@holdfast/programs';
import type { Rules } from '../../../apps/coordinator/src/run/rules.js';
import { forEach, planOf, step } from '../plans.js';
import { Dice } from '../dice.js';
import { BudgetWorld, COST, type Real } from './world.js';

const TOOLS = ['priced', 'paid', 'verifiable', 'keyed'] as const;

/** What may happen besides: limits are changed, the run is cancelled, and calls use more than they may. */
export const UNRULY = 'unruly';

/** A random run with random limits, and what happens to it: the same for the same seed. */
export const randomHistory = (
  seed: number,
  check: (world: BudgetWorld) => void,
  rules: Partial<Rules> = {},
  how: 'ruly' | typeof UNRULY = 'ruly',
): BudgetWorld => {
  const dice = new Dice(seed);
  const world = new BudgetWorld(randomPlan(dice), randomBudget(dice), rules);
  check(world);
  for (let move = 0; move < 24 && world.live?.end === null; move += 1) {
    if (how === 'ruly' || !unruly(world, dice)) randomMove(world, dice);
    check(world);
  }
  return world;
};

const randomPlan = (dice: Dice): Plan => {
  const call = () => ({
    ...step(`s${dice.roll(1_000_000)}`, TOOLS[dice.roll(TOOLS.length)] ?? 'paid'),
    hold: 'step' as const,
  });
  const items = Array.from({ length: 1 + dice.roll(5) }, () => 1);
  return planOf(
    { ...forEach('f', items, call(), call()), window: 1 + dice.roll(5), onFailure: 'continue' as const },
    call(),
    call(),
  );
};

const randomBudget = (dice: Dice): Budget => {
  const maybe = (most: number) => (dice.roll(2) === 0 ? undefined : dice.roll(most));
  const [steps, effects, calls, tokensIn, cents] = [maybe(12), maybe(8), maybe(12), maybe(300), maybe(300)];
  return {
    ...(steps === undefined ? {} : { steps }),
    ...(effects === undefined ? {} : { effects }),
    ...(calls === undefined
      ? {}
      : { calls: dice.roll(2) === 0 ? calls : { paid: calls, 'verifiable@1': dice.roll(6) } }),
    ...(tokensIn === undefined ? {} : { tokensIn }),
    ...(cents === undefined ? {} : { money: { amount: (cents / 100).toFixed(2), currency: 'USD' } }),
  };
};

const unruly = (world: BudgetWorld, dice: Dice): boolean => {
  const move = dice.roll(12);
  if (move < 3) world.steer(randomBudget(dice));
  else if (move === 3 && dice.roll(4) === 0) world.cancel();
  else if (move === 4) over(world, dice);
  return move < 5;
};

/** A call says that it has used far more than it had reserved. */
const over = (world: BudgetWorld, dice: Dice): void => {
  const real = dice.pick(world.open().filter((one) => isPriced(one) && !one.applied && !world.isClosed(one)));
  if (real === undefined) return;
  world.claim(real);
  real.applied = true;
  real.used = { tokensIn: COST.tokensIn * (1 + dice.roll(6)), cents: 40 * (1 + dice.roll(6)) };
  const used = { tokensIn: real.used.tokensIn, 'money:USD': (real.used.cents / 100).toFixed(2) };
  world.say(dice.roll(3) === 0 ? 'AttemptUnknown' : 'AttemptSucceeded', real, { used });
};

const randomMove = (world: BudgetWorld, dice: Dice): void => {
  const real = dice.pick(world.open());
  const move = dice.roll(14);
  if (move === 0) return world.takeOver();
  if (move === 1) return world.pass([10, 300, 1_500, 10_100][dice.roll(4)] ?? 10);
  if (real === undefined) return world.pass(1_500);
  if (world.isClosed(real)) return world.close(real);
  if (move === 2) return real.began ? undefined : world.close(real);
  world.claim(real);
  if (move < 7) return ends(world, real, 'AttemptSucceeded', dice);
  if (move === 7) return ends(world, real, 'AttemptFailed', dice);
  if (move === 8) return neverBegan(world, real);
  if (move === 9) return ends(world, real, 'AttemptUnknown', dice);
  if (move === 10) return ends(world, real, 'AttemptAborted', dice);
  if (move === 11) return lost(world, real, dice);
  return settles(world, real);
};

const isPriced = ({ tool }: Real): boolean => tool === 'priced@1' || tool === 'paid@1';

/** The call uses something, at most what it may, and says so or not. */
const uses = (real: Real, dice: Dice, mayBeSilent = true): object => {
  if (!isPriced(real)) return {};
  if (!mayBeSilent && dice.roll(2) === 0) return {};
  real.used = { tokensIn: dice.roll(COST.tokensIn + 1), cents: dice.roll(41) };
  if (mayBeSilent && dice.roll(2) === 0) return {};
  return { used: { tokensIn: real.used.tokensIn, 'money:USD': (real.used.cents / 100).toFixed(2) } };
};

type Ending = 'AttemptSucceeded' | 'AttemptFailed' | 'AttemptUnknown' | 'AttemptAborted';

const ends = (world: BudgetWorld, real: Real, how: Ending, dice: Dice): void => {
  real.applied ||= how === 'AttemptSucceeded' || (how === 'AttemptUnknown' && dice.roll(2) === 0);
  const effect = how === 'AttemptAborted' ? { effect: real.applied ? 'unknown' : 'none' } : {};
  // What has not acted is found absent, and so is what nobody says that it has used.
  const used = uses(real, dice, how !== 'AttemptUnknown' || real.applied);
  // What may have acted may not say that it has not.
  if (how === 'AttemptFailed' && real.applied) return;
  world.say(how, real, {
    ...used,
    ...effect,
    ...(how === 'AttemptFailed' ? { retry: dice.roll(2) === 0 ? 'now' : 'never' } : {}),
  });
};

const neverBegan = (world: BudgetWorld, real: Real): void => {
  if (real.applied || real.used.tokensIn > 0 || real.used.cents > 0) return;
  real.began = false;
  world.say('AttemptSkipped', real);
};

const lost = (world: BudgetWorld, real: Real, dice: Dice): void => {
  real.applied ||= dice.roll(2) === 0;
  if (real.applied || real.tool === 'priced@1') uses(real, dice);
  world.die(real);
};

/** The tool is asked, and tells the truth. */
const settles = (world: BudgetWorld, real: Real): void => {
  world.pass(5_000);
  const applied = [...world.real.values()].some(({ stepId, applied: acted }) => stepId === real.stepId && acted);
  world.judge(real.stepId, applied ? 'applied' : 'absent');
};
