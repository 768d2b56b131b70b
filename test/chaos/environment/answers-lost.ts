import { eventually } from '@holdfast/dev';
import type { BrokerRequest, Fate } from './kafka-proxy.js';
import { Load } from './load.js';
import type { OneBroker } from './one-broker.js';
import { seededRandom, type Scenario } from './scenario.js';

const WAIT_MS = 60_000;

/** Whose appends are meant, and which part of them. Verdicts are rare. */
const VICTIMS: Readonly<Record<string, number>> = {
  coordinator: 0.1,
  'executor-worker': 0.1,
  executor: 0.2,
  reconciler: 0.6,
};
const FATES: readonly Fate[] = ['cut', 'tear-answer', 'tear-request', 'lose', 'cut', 'late'];

/** Appends reach the broker and their answers do not reach who asked, for one kind of service after the other. */
export const answersLost: Scenario<OneBroker> = (stage, seed) =>
  Load.during(stage, async (load) => {
    const { world, proxy } = stage;
    const random = seededRandom(seed);
    const counts = new Map<string, number>();
    for (const [victim, share] of Object.entries(VICTIMS)) {
      let done = 0;
      proxy.fateOf = (request) => {
        if (!request.isAppend || !isOf(request, victim) || random() >= share) return 'pass';
        const fate = FATES[done];
        if (fate === undefined) return 'pass';
        done += 1;
        const what = `${victim}: ${fate}, ${(request.topic ?? '').slice(world.namespace.length + 1)}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
        return fate;
      };
      await eventually(`appends of a ${victim} went wrong`, () => done >= FATES.length, WAIT_MS);
      await load.recovered();
    }
    proxy.fateOf = () => 'pass';
    return [...counts].map(([what, times]) => `${what}: ${times}`).sort();
  });

/** Services call themselves `namespace.service.instance`. */
const isOf = ({ clientId }: BrokerRequest, service: string): boolean => clientId.split('.')[1] === service;
