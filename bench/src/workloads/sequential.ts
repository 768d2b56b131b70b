import { names, overNames, type Workload, type WorkloadOptions } from './workload.js';

/** One run of steps with effects, each of which begins when the one before it is history. */
export const sequential = ({ tag, count }: WorkloadOptions): Workload => {
  const effects = names(tag, count);
  const program = overNames(1, [{ id: 'effect', tool: 'effect@1', args: { name: { $from: 'item' } } }]);
  return {
    name: 'sequential',
    runs: [{ runId: tag, program, input: { names: effects } }],
    effects,
    steps: count,
    atOnce: 1,
    cancelAfter: null,
    latencyOf: 'effect to effect',
  };
};
