import { setTimeout as pause } from 'node:timers/promises';
import type { Member } from '@holdfast/chaos';
import { Load } from '../chaos/environment/load.js';
import type { Scenario } from '../chaos/environment/scenario.js';
import { rolesOf } from '../support/cluster.js';
import type { Stage } from './stage.js';

const QUIET_MS = 12_000;
const FROZEN_MS = 12_000;
const DOWN_MS = 5_000;
/** Longer than the time that services are given for stopping in order. */
const STOP_MS = 10_000;

type OnNode = (stage: Stage, node: number) => Promise<void>;

/** What there is to compare with: the same work, and nothing happens to it. */
export const nothing: Scenario<Stage> = (stage) =>
  Load.during(stage, async (load) => {
    await load.struck('nothing', () => pause(QUIET_MS));
    return [`nothing for ${QUIET_MS} ms`];
  });

/** One broker after the other, the next one when all copies are in sync again: whatever one of them leads is hit. */
const eachBroker =
  (what: string, strike: OnNode): Scenario<Stage> =>
  (stage) =>
    Load.during(stage, async (load) => {
      const done: string[] = [];
      for (const node of stage.kafka.nodes.keys()) {
        const { leads, of } = await rolesOf(stage.kafka, node);
        const fault = `broker ${node + 1} ${what}`;
        await load.struck(fault, () => strike(stage, node));
        await stage.inSync();
        done.push(`${fault}; it led ${leads} of ${of} partitions`);
      }
      return done;
    });

export const brokersRestarted = eachBroker('restarted', async ({ kafka }, node) => {
  await kafka.nodes[node]?.kill('SIGTERM');
  await kafka.restart(node);
});

export const brokersKilled = eachBroker('killed', async ({ kafka }, node) => {
  await kafka.kill(node);
  await pause(DOWN_MS);
  await kafka.restart(node);
});

export const brokersFrozen = eachBroker(`frozen for ${FROZEN_MS / 1_000} s`, async ({ kafka }, node) => {
  kafka.freeze(node);
  try {
    await pause(FROZEN_MS);
  } finally {
    kafka.thaw(node);
  }
});

/** One service after the other, as for a new release: asked to stop, and started again. */
export const servicesRestarted: Scenario<Stage> = (stage) =>
  Load.during(stage, async (load) => {
    const members = [
      ...stage.services.map((name) => stage.world.member(name)),
      ...stage.gateways.map(({ member }) => member),
    ];
    for (const member of members) {
      await load.struck(`${member.name} restarted`, () => restarted(member, load));
      if (stage.services.includes(member.name)) load.restarted(member.name);
    }
    return members.map(({ name }) => `${name} restarted`);
  });

const restarted = async (member: Member, load: Load): Promise<void> => {
  const { code, signal } = await member.stop(STOP_MS);
  if (code !== 0) load.problem(`${member.name} ended with ${signal ?? code} when it was asked to stop`);
  await member.start();
};
