import type { Json, PlanStep } from '@holdfast/programs';
import { names, overNames, type Workload, type WorkloadOptions } from './workload.js';

/** Pure, repeatable, verifiable: the three steps of a document, without its work. */
export const threeSteps = (name: Json): PlanStep[] => [
  { id: 'prepare', tool: 'prepare@1', args: { name } },
  { id: 'work', tool: 'work@1', args: { name: { $from: 'steps.prepare.name' } } },
  { id: 'effect', tool: 'effect@1', args: { name: { $from: 'steps.work.name' } } },
];

/** One run over many documents with three steps each, a window of them under way. */
export const fanout = ({ tag, count, window }: WorkloadOptions): Workload => {
  const effects = names(tag, count);
  return {
    name: 'fanout',
    runs: [{ runId: tag, program: overNames(window, threeSteps({ $from: 'item' })), input: { names: effects } }],
    effects,
    steps: 3 * count,
    atOnce: 1,
    cancelAfter: null,
    latencyOf: 'step',
  };
};
