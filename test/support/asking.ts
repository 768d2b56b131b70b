import type { PlanAsk } from '@holdfast/programs';
import { LaneHarness, type HarnessOptions } from './lane-harness.js';
import { planOf } from './plans.js';

export type Ask = Partial<PlanAsk['ask']>;

/** A step that asks whether to go on. */
export const node = (ask: Ask = {}, id = 'q'): PlanAsk => ({
  id,
  ask: { question: 'Go on?', choices: ['yes', 'no'], ...ask },
});
/** Without holding each step against the fold: that is shown elsewhere, and very many steps would take long. */
export const swift = (): LaneHarness => Object.assign(new LaneHarness(), { proves: false }).seat();
/** A lane with a run that asks whether to go on and has the answer for its output. */
export const asking = (ask: Ask = {}, options: HarnessOptions = {}): LaneHarness =>
  new LaneHarness(options).seat().submit({ ...planOf(node(ask)), output: { $from: 'steps.q' } });

/** The number of the question that is open about a step. */
export const question = (lane: LaneHarness, id = 'q'): number => lane.questions()[id] ?? -1;
/** What the events of a type say, in order. */
export const dataOf = (lane: LaneHarness, type: string) =>
  lane.events().flatMap(({ event }) => (event.type === type ? [event.data as Record<string, unknown>] : []));
export const lastReply = (lane: LaneHarness) => {
  const last = lane.reactions.findLast(({ kind }) => kind === 'reply');
  return last?.kind === 'reply' ? last.reply : undefined;
};
