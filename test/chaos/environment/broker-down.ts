import { setTimeout as pause } from 'node:timers/promises';
import { randomOf } from '@holdfast/chaos';
import { Load } from './load.js';
import type { OneBroker } from './one-broker.js';
import type { Scenario } from './scenario.js';

const KILLS = 2;
/** Longer than any time-out of an append. */
const FREEZE_MS = 4_500;

/** The only broker is killed and started again, several times before all has come back. */
export const brokerKilled: Scenario<OneBroker> = (stage, seed) =>
  Load.during(stage, async (load) => {
    const random = randomOf(seed);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(random() * 300);
      await stage.kafka.kill();
      await pause(random() * 1_000);
      await stage.kafka.restart();
    }
    await load.recovered();
    return [`killed ${KILLS} times`];
  });

/** The only broker is frozen: connections are accepted, nobody answers. */
export const brokerFrozen: Scenario<OneBroker> = (stage) =>
  Load.during(stage, async (load) => {
    stage.kafka.freeze();
    await pause(FREEZE_MS);
    stage.kafka.thaw();
    await load.recovered();
    return [`frozen for ${FREEZE_MS} ms`];
  });
