import type { Env } from '../run/env.js';
import type { LaneMachine } from './lane.types.js';

/** This lane's share of each queue: about twice its slots, divided by the lanes that want it, less what is out already. */
export const roomOf = ({ outstanding }: LaneMachine, env: Env): Map<string, number> =>
  new Map(
    Object.entries(env.fleet.queues).map(([queue, { slots, lanesWanting }]) => {
      const share = Math.max(1, Math.ceil((2 * slots) / Math.max(1, lanesWanting)));
      return [queue, share - (outstanding.get(queue) ?? 0)];
    }),
  );
