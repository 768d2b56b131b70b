import { threeSteps } from './fanout.js';
import { names, overNames, type Workload, type WorkloadOptions } from './workload.js';

/** Runs side by side: while one is being cancelled the others are the load. */
const AT_ONCE = 4;
/** So many that no run comes to its end before it is cancelled. */
const DOCUMENTS = 500;
const CANCEL_AFTER = 150;

/** Runs of three steps for each of many documents, cancelled in the middle. `count`: cancels. */
export const cancel = ({ tag, count, window }: WorkloadOptions): Workload => {
  const program = overNames(Math.max(1, Math.floor(window / AT_ONCE)), threeSteps({ $from: 'item' }));
  const runs = names(tag, count).map((runId) => ({ runId, program, input: { names: names(runId, DOCUMENTS) } }));
  return {
    name: 'cancel',
    runs,
    effects: runs.flatMap(({ input }) => input.names),
    steps: CANCEL_AFTER * count,
    atOnce: AT_ONCE,
    cancelAfter: CANCEL_AFTER,
    latencyOf: 'cancel',
  };
};
