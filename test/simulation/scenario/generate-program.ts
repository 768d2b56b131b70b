import type { Plan, PlanAgent, PlanAsk, PlanNode, PlanRun } from '@holdfast/programs';
import { forEach, planOf, runOf, step } from '../../support/plans.js';
import { several, type Dice } from '../engine/dice.js';
import type { Turns } from '../world/models.js';
import { toolNames } from '../world/tools.js';
import type { Focus } from './generate.js';

export const programOf = (dice: Dice, focus: Focus, hasChildren: boolean): Plan => {
  const { steps = [1, 4], tools = toolNames, asked = 0.1, approved = 0.15, agents = 0 } = focus;
  const ids = ['a', 'b', 'c', 'd'].slice(0, dice.between('steps', steps[0], steps[1]));
  const nodes = ids.map((id, index): PlanNode => {
    const after = index > 0 && dice.chance('after', 0.6) ? { after: [ids[index - 1] as string] } : {};
    if (dice.chance('asked', asked)) return { id, ask: questionOf(dice), ...after };
    if (hasChildren && dice.chance('child', 0.5)) return { ...childOf(dice, focus, id, 2), ...after };
    if (dice.chance('agent', agents)) return { ...agentOf(dice, focus, id), ...after };
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

/** An agent of a few turns, which repeats itself, and sometimes calls what nobody offers it. */
const agentOf = (dice: Dice, focus: Focus, id: string): PlanAgent => {
  const { tools = toolNames } = focus;
  const offered = several(dice.between('agent tools', 1, 2), () => dice.pick('agent tool', tools));
  const names = [...new Set(offered)];
  const turn = (): readonly string[] =>
    several(dice.between('agent calls', 1, 2), () =>
      dice.chance('stray call', 0.1) ? 'nobody' : dice.pick('agent call', offered as never),
    );
  const turns: Turns = several(dice.between('agent turns', 0, 3), turn);
  return {
    id,
    agent: {
      instructions: JSON.stringify(turns),
      task: 'work',
      model: 'model@1',
      tools: names.map((name) => ({ tool: `${name}@1`, name })),
      onDoubt: dice.pick('agent doubt', ['wait', 'tell']),
    },
  };
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
