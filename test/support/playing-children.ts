import { type HistoryEvent } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import { planOf, step } from './plans.js';
import { SeveralLanes } from './several-lanes.js';

export const inner = planOf(step('x', 'verifiable'));
export const withOutput: Plan = { ...inner, output: { said: { $from: 'steps.x' }, told: { $from: 'input.word' } } };

export const play = (plan: Plan, runId = 'p') =>
  new SeveralLanes(3).submit(plan, { runId, input: { word: 'hi' } }).calm();
export type End = Extract<HistoryEvent, { type: 'RunEnded' }>['data'];
export const endOf = (lanes: SeveralLanes, runId: string): End | undefined => {
  const events = lanes.at(runId).events();
  const end = events.find(({ event, subject }) => event.type === 'RunEnded' && subject === runId)?.event;
  return end?.type === 'RunEnded' ? end.data : undefined;
};
export const told = (lanes: SeveralLanes, runId: string): readonly string[] =>
  lanes
    .at(runId)
    .events()
    .flatMap(({ event, subject }) => (subject === runId ? [event.type] : []));
export const failureOf = (lanes: SeveralLanes, runId: string): string | undefined => {
  const events = lanes.at(runId).events();
  const failed = events.find(({ event, subject }) => event.type === 'StepFailed' && subject === runId)?.event;
  return failed?.type === 'StepFailed' ? failed.data.failure.code : undefined;
};
