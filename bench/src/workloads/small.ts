import type { Plan } from '@holdfast/programs';
import { threeSteps } from './fanout.js';
import { names, type Workload, type WorkloadOptions } from './workload.js';

/** Many runs of three steps. */
export const small = ({ tag, count, window }: WorkloadOptions): Workload => {
  const effects = names(tag, count);
  const program: Plan = { kind: 'plan', steps: threeSteps({ $from: 'input.name' }) };
  return {
    name: 'small',
    runs: effects.map((name) => ({ runId: name, program, input: { name } })),
    effects,
    steps: 3 * count,
    atOnce: window,
    cancelAfter: null,
    latencyOf: 'run',
  };
};
