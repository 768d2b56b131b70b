import type { KafkaCluster } from '@holdfast/dev';
import kafkajs from 'kafkajs';

const ignore = (): void => undefined;

type Admin = ReturnType<InstanceType<typeof kafkajs.Kafka>['admin']>;

/** Asks the nodes that run, by an admin that sees the cluster as it is now. */
const asking = async <T>(kafka: KafkaCluster, ask: (admin: Admin) => Promise<T>): Promise<T> => {
  const brokers = kafka.nodes.filter(({ running }) => running).map(({ address }) => address);
  const admin = new kafkajs.Kafka({ brokers, clientId: 'cluster', logCreator: () => ignore }).admin();
  await admin.connect();
  try {
    return await ask(admin);
  } finally {
    await admin.disconnect();
  }
};

/** How many partitions of all topics have fewer copies in sync than they should. */
export const behind = (kafka: KafkaCluster): Promise<number> =>
  asking(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    return topics.flatMap(({ partitions }) => partitions.filter(({ isr, replicas }) => isr.length < replicas.length))
      .length;
  });

/** How many partitions of all topics a node leads, and how many there are. */
export const rolesOf = (kafka: KafkaCluster, node: number): Promise<{ readonly leads: number; readonly of: number }> =>
  asking(kafka, async (admin) => {
    const { brokers } = await admin.describeCluster();
    const id = brokers.find(({ port }) => port === kafka.nodes[node]?.port)?.nodeId;
    const { topics } = await admin.fetchTopicMetadata();
    const all = topics.flatMap(({ partitions }) => partitions);
    return { leads: all.filter(({ leader }) => leader === id).length, of: all.length };
  });

/** The index of the node that leads each partition of a topic. */
export const leadersOf = (kafka: KafkaCluster, topic: string): Promise<number[]> =>
  asking(kafka, async (admin) => {
    const { brokers: known } = await admin.describeCluster();
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const indexOf = (nodeId: number): number => {
      const found = known.find((broker) => broker.nodeId === nodeId);
      return kafka.nodes.findIndex(({ port }) => port === found?.port);
    };
    const partitions = [...(topics[0]?.partitions ?? [])].sort((a, b) => a.partitionId - b.partitionId);
    return partitions.map(({ leader }) => indexOf(leader));
  });

/** Changes one setting of topics while they are in use. */
export const alterTopics = (
  kafka: KafkaCluster,
  topics: readonly string[],
  changed: Readonly<Record<string, string>>,
): Promise<void> =>
  asking(kafka, async (admin) => {
    const type = kafkajs.ConfigResourceTypes.TOPIC;
    const described = await admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map((name) => ({ type, name })),
    });
    // The request says all settings anew: what it does not name falls back to the default.
    const resources = described.resources.map(({ resourceName, configEntries }) => {
      const own = configEntries.filter(({ isDefault, configName }) => !isDefault && !(configName in changed));
      const kept = own.map(({ configName, configValue }) => ({ name: configName, value: configValue }));
      const now = Object.entries(changed).map(([name, value]) => ({ name, value }));
      return { type, name: resourceName, configEntries: [...kept, ...now] };
    });
    await admin.alterConfigs({ validateOnly: false, resources });
  });
