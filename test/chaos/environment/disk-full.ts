import { eventually } from '@holdfast/dev';
import { Load } from './load.js';
import type { OneBroker } from './one-broker.js';
import type { Scenario } from './scenario.js';

const STOP_MS = 60_000;

/** The broker's volume is full: it gives its only folder up and ends. Then there is room, and it is started again. */
export const diskFull: Scenario<OneBroker> = (stage) =>
  Load.during(stage, async (load) => {
    const { kafka, volume } = stage;
    volume.fill(kafka.pids[0] ?? 0);
    const began = performance.now();
    await eventually('the broker has given up', () => !(kafka.nodes[0]?.running ?? true), STOP_MS);
    const endedMs = Math.round(performance.now() - began);
    volume.free();
    await kafka.restart();
    await load.recovered();
    return [`${volume.kind}; the broker ended after ${endedMs} ms`];
  });
