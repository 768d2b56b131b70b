import { setTimeout as pause } from 'node:timers/promises';
import { randomOf } from '@holdfast/chaos';
import { eventually } from '@holdfast/dev';
import { Load } from './load.js';
import type { OneBroker } from './one-broker.js';
import type { Scenario } from './scenario.js';

/** A world allows 200 ms between any two clocks. */
const WITHIN_MS = 90;
const JUMPS = 12;
const BEYOND_MS = 3_600_000;
const DECIDERS = ['coordinator-1', 'reconciler-1'];
const NOTICED_MS = 30_000;
const STILL_MS = 1_000;

/** Clocks of all services jump back and forth, any two never further apart than is allowed. */
export const clocksWithin: Scenario<OneBroker> = (stage, seed) =>
  Load.during(stage, async (load) => {
    const { services, clocks } = stage;
    const random = randomOf(seed);
    for (let jump = 0; jump < JUMPS; jump += 1) {
      for (const name of services) clocks.set(name, Math.round((2 * random() - 1) * WITHIN_MS));
      await pause(200 + random() * 400);
    }
    await load.recovered();
    for (const name of services) clocks.set(name, 0);
    return [`each clock set ${JUMPS} times, up to ${WITHIN_MS} ms off`];
  });

/** A service's clock jumps by an hour while its calls and appends are under way: forward with even seeds, else back. */
export const clocksBeyond: Scenario<OneBroker> = (stage, seed) =>
  Load.during(stage, async (load) => {
    const offMs = seed % 2 === 0 ? BEYOND_MS : -BEYOND_MS;
    const executors = await executorsStop(stage, load, offMs);
    const deciders = await Promise.all(DECIDERS.map((name) => endsAndReturns(stage, load, { name, offMs })));
    await load.recovered();
    return [executors, ...deciders];
  });

/** Who decides or judges does not go on with such a clock. */
const endsAndReturns = async (
  stage: OneBroker,
  load: Load,
  { name, offMs }: { readonly name: string; readonly offMs: number },
): Promise<string> => {
  stage.clocks.set(name, offMs);
  const { code } = await stage.world.member(name).exited;
  await stage.start(name);
  load.restarted(name);
  if (code !== 1) load.problem(`${offMs} ms: ${name} ended with code ${code} instead of 1`);
  return `${offMs} ms: ${name} ends with code ${code}`;
};

/** No executor calls anything once it has noticed; with the right time both go on by themselves. */
const executorsStop = async ({ world, services, clocks }: OneBroker, load: Load, offMs: number): Promise<string> => {
  const executors = services.filter((name) => name.startsWith('executor'));
  const began = performance.now();
  for (const name of executors) clocks.set(name, offMs);
  await Promise.all(
    executors.map((name) =>
      eventually(
        `${name} says that its clock is off`,
        async () => (await world.member(name).health())?.reasons.some((reason) => /clock/.test(reason)),
        NOTICED_MS,
      ),
    ),
  );
  const noticedMs = Math.round(performance.now() - began);
  const before = (await world.ledger.state()).calls.length;
  await pause(STILL_MS);
  const during = (await world.ledger.state()).calls.length - before;
  if (during > 0) load.problem(`${offMs} ms: executors that knew of it began ${during} calls`);
  for (const name of executors) clocks.set(name, 0);
  await load.recovered();
  return `${offMs} ms: executors say so after ${noticedMs} ms, then begin ${during} calls in ${STILL_MS} ms`;
};
