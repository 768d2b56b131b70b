import { setTimeout as pause } from 'node:timers/promises';
import { randomOf } from '@holdfast/chaos';
import type { TopicNames } from '@holdfast/contracts';
import { startKafka, type KafkaCluster } from '@holdfast/dev';
import { World } from '../../e2e/support/world.js';
import { alterTopics, leadersOf } from '../../support/cluster.js';
import { Load } from './load.js';
import { SERVICES } from './one-broker.js';
import { Opened } from './opened.js';
import type { Scenario } from './scenario.js';

const DOWN_MS = 3_000;
const STILL_MS = 1_000;

/** Three brokers with three copies of everything, two of which must be in sync. */
export class ThreeBrokers {
  readonly services = SERVICES;

  private constructor(
    readonly kafka: KafkaCluster,
    readonly world: World,
    private readonly opened: Opened,
  ) {}

  static open(): Promise<ThreeBrokers> {
    return Opened.all(async (opened) => {
      const kafka = opened.add(await startKafka({ nodes: 3 }), (one) => one.stop());
      const world = opened.add(await World.open({ brokers: kafka.brokers }, SERVICES), (one) => one.close());
      return new ThreeBrokers(kafka, world, opened);
    });
  }

  async restartAll(): Promise<void> {
    await Promise.all(this.kafka.nodes.filter(({ running }) => !running).map((node) => node.restart()));
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}

/** The node that leads most partitions of a topic dies in the middle of the work. */
export const leaderKilled =
  (topicOf: (names: TopicNames) => string): Scenario<ThreeBrokers> =>
  (stage) =>
    Load.during(stage, async (load) => {
      const { kafka, world } = stage;
      const topic = topicOf(world.names);
      const leaders = await leadersOf(kafka, topic);
      const victim = mostOften(leaders);
      await kafka.kill(victim);
      await load.recovered();
      await stage.restartAll();
      const led = leaders.filter((leader) => leader === victim).length;
      return [`killed node ${victim}, which led ${led} of ${leaders.length} partitions of ${topic}`];
    });

/** All three copies must be in sync and one is gone: appends are refused, some of them after they were written. */
export const tooFewCopies: Scenario<ThreeBrokers> = (stage, seed) =>
  Load.during(stage, async (load) => {
    const { kafka, world } = stage;
    const { history, journal, verdicts, claims } = world.names;
    const topics = [history, journal, verdicts, claims('default')];
    await alterTopics(kafka, topics, { 'min.insync.replicas': '3' });
    await kafka.kill(nodeOf(seed));
    await pause(DOWN_MS);
    const made = await load.still(STILL_MS);
    await alterTopics(kafka, topics, { 'min.insync.replicas': '2' });
    await load.recovered();
    await stage.restartAll();
    return [`one of three down, three needed: ${made} effects in ${STILL_MS} ms, ${DOWN_MS} ms later`];
  });

/** Nobody is left to elect a leader: all waits. */
export const twoDown: Scenario<ThreeBrokers> = (stage, seed) =>
  Load.during(stage, async (load) => {
    const { kafka } = stage;
    const survivor = nodeOf(seed);
    await Promise.all([0, 1, 2].filter((node) => node !== survivor).map((node) => kafka.kill(node)));
    await pause(DOWN_MS);
    const made = await load.still(STILL_MS);
    await stage.restartAll();
    await load.recovered();
    return [`two of three down: ${made} effects in ${STILL_MS} ms, ${DOWN_MS} ms later`];
  });

const nodeOf = (seed: number): number => Math.floor(randomOf(seed)() * 3);

const mostOften = (nodes: readonly number[]): number => {
  const count = (node: number): number => nodes.filter((one) => one === node).length;
  return [...new Set(nodes)].toSorted((a, b) => count(b) - count(a))[0] ?? 0;
};
