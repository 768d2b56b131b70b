import type { Plan, PlanAsk, PlanNode, PlanRun } from '@holdfast/programs';
import { forEach, planOf, runOf, step } from '../../support/plans.js';
import { several, type Dice } from '../engine/dice.js';
import { toolNames } from '../world/tools.js';
import type { Focus } from './generate.js';

export const programOf = (dice: Dice, focus: Focus, hasChildren: boolean): Plan => {
  const { steps = [1, 4], tools = toolNames, asked = 0.1, approved = 0.15 } = focus;
  const ids = ['a', 'b', 'c', 'd'].slice(0, dice.between('steps', steps[0], steps[1]));
  const nodes = ids.map((id, index): PlanNode => {
    const after = index > 0 && dice.chance('after', 0.6) ? { after: [ids[index - 1] as string] } : {};
    if (dice.chance('asked', asked)) return { id, ask: questionOf(dice), ...after };
    if (hasChildren && dice.chance('child', 0.5)) return { ...childOf(dice, focus, id, 2), ...after };
    if (dice.chance('forEach', 0.15)) {
      const items = several(dice.between('items', 1, 3), (item) => item);
      return { ...forEach(id, [...items], step('x', dice.pick('tool', tools))), ...after };
    }
    return step(id, dice.pick('tool', tools), after);
  });
  if (!dice.chance('approved', approved)) return planOf(...nodes);
  const rule = { tool: dice.pick('approved tool', tools), ...timesOf(dice), onSilence: dice.pick('silent', SILENCE) };
  return { ...planOf(...nodes), approvals: [rule] };
};

const SILENCE = ['end', 'fail'] as const;

const timesOf = (dice: Dice) => ({
  withinMs: dice.between('asked within', 1_000, 6_000),
  ...(dice.chance('reminded', 0.3) ? { remindEveryMs: 1_000 } : {}),
});

const questionOf = (dice: Dice): PlanAsk['ask'] => ({
  question: 'Go on?',
  choices: ['yes', 'no'],
  ...timesOf(dice),
  onSilence: dice.pick('silent', SILENCE),
});

/** A step that begins a run, which may begin one itself. */
const childOf = (dice: Dice, focus: Focus, id: string, depthMax: number): PlanRun => {
  const { tools = toolNames } = focus;
  const own = step('x', dice.pick('child tool', tools));
  const isDeep = depthMax > 1 && dice.chance('grandchild', 0.4);
  const next = isDeep
    ? childOf(dice, focus, 'y', depthMax - 1)
    : step('y', dice.pick('child tool', tools), { after: ['x'] });
  const isDetached = dice.chance('detached', 0.25);
  return runOf(id, planOf(own, next), {
    // One that has no parent to end it must not outlive the keys of its tools.
    ...(isDetached ? { detached: true, deadlineMs: DETACHED_MS } : {}),
    ...(dice.chance('child waits', 0.3) ? { waitMs: dice.between('child wait', 0, 4_000) } : {}),
  });
};

const DETACHED_MS = 12_000;
