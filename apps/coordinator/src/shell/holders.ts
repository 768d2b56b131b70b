import type { LaneMachine } from '../lane/lane.types.js';

/** Sessions that hold attempts of the lane, by history or by the claims log. */
export const holdersOf = (machine: LaneMachine): ReadonlySet<string> => {
  const holders = new Set<string>();
  for (const first of machine.firsts.values()) if (first.kind === 'claimed') holders.add(first.session);
  for (const runId of machine.live.keys()) {
    const run = machine.lane.runs.get(runId)?.run;
    if (run === undefined || run.status === 'ended') continue;
    for (const step of run.steps) {
      for (const { status, holder } of step.attempts)
        if (status === 'held' && holder !== null) holders.add(holder.session);
    }
  }
  return holders;
};

/** How many of the lanes want places, by queue: something is out, or a step had to wait. */
export const demandOf = (machines: Iterable<LaneMachine>): Record<string, number> => {
  const demand: Record<string, number> = {};
  for (const machine of machines) {
    const queues = new Set<string>();
    for (const { outstanding } of machine.live.values())
      for (const queue of Object.keys(outstanding)) queues.add(queue);
    for (const runId of machine.starved) {
      const run = machine.lane.runs.get(runId)?.run;
      if (run === undefined || run.status === 'ended') continue;
      for (const { queue } of Object.values(run.tools)) queues.add(queue);
    }
    for (const queue of queues) demand[queue] = (demand[queue] ?? 0) + 1;
  }
  return demand;
};
