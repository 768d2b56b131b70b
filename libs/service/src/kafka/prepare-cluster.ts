import { encode, lanePlan, queuePlan, type ClusterRecord, type TopicNames } from '@holdfast/contracts';
import type { Log, Topics } from '@holdfast/log';
import { readLanes, type Clock, type Ids, type Timer } from '@holdfast/sdk';
import { appendSurely } from './append-surely.js';

export type ClusterWish = {
  readonly namespace: string;
  readonly lanes: number;
  /** Partitions by queue. */
  readonly queues: Readonly<Record<string, number>>;
};

export type ClusterPorts = {
  readonly log: Log;
  readonly topics: Topics;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer?: Timer;
};

/** The stored number of lanes is another one than the configured. */
export class LanesMismatch extends Error {
  override readonly name = 'LanesMismatch';
  constructor(namespace: string, stored: number, configured: number) {
    super(
      `namespace ${namespace} has ${stored} lanes for life, but HOLDFAST_LANES is ${configured}: ` +
        `set HOLDFAST_LANES=${stored}, or use another HOLDFAST_NAMESPACE`,
    );
  }
}

/**
 * Creates the topics that are missing, checks the others, and fixes the number of lanes where none is fixed yet. The
 * number comes first: topics of a wrong number are never created. Rejects with `LanesMismatch` or `TopicMismatch`.
 */
export const prepareCluster = async (ports: ClusterPorts, wish: ClusterWish): Promise<void> => {
  const { names, topics } = ports;
  const plan = lanePlan(names, wish.lanes);
  await topics.ensure(plan.filter(({ name }) => name === names.cluster));
  await fixLanes(ports, wish);
  const queues = Object.entries(wish.queues).flatMap(([queue, partitions]) => queuePlan(names, queue, partitions));
  await topics.ensure([...plan.filter(({ name }) => name !== names.cluster), ...queues]);
};

/** Topics that were just made answer a moment later. */
const START_UP = { patienceMs: 15_000 };

const fixLanes = async (ports: ClusterPorts, wish: ClusterWish): Promise<void> => {
  const { log, names } = ports;
  const before = await readLanes(log, names, START_UP);
  if (before === null) await write(ports, wish.namespace, wish.lanes);
  const stored = before ?? (await readLanes(log, names, START_UP));
  if (stored === wish.lanes) return;
  if (stored === null) throw new Error(`the number of lanes was written to ${names.cluster} but cannot be read back`);
  // The topic is compacted, which keeps the last record of a key: the one that counts has to be the last as well.
  if (before === null) await write(ports, wish.namespace, stored);
  throw new LanesMismatch(wish.namespace, stored, wish.lanes);
};

const write = async (ports: ClusterPorts, namespace: string, lanes: number): Promise<void> => {
  const { log, names, clock, ids, timer } = ports;
  const record: ClusterRecord = {
    type: 'LanesFixed',
    version: 1,
    id: ids.next(),
    source: 'holdfast/service',
    subject: null,
    time: new Date(clock.now()).toISOString(),
    principal: null,
    data: { lanes, namespace },
  };
  await appendSurely(log, { topic: names.cluster, partition: 0 }, { key: 'lanes', value: encode(record) }, timer);
};
