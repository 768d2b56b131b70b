import type { KafkaCluster } from '@holdfast/dev';
import kafkajs from 'kafkajs';

const ignore = (): void => undefined;

/** The index of the node that leads each partition of a topic, from an admin that sees the cluster as it is now. */
export const leadersOf = async (kafka: KafkaCluster, topic: string): Promise<number[]> => {
  const brokers = kafka.nodes.filter(({ running }) => running).map(({ address }) => address);
  const admin = new kafkajs.Kafka({ brokers, clientId: 'leaders', logCreator: () => ignore }).admin();
  await admin.connect();
  try {
    const { brokers: known } = await admin.describeCluster();
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const indexOf = (nodeId: number): number => {
      const found = known.find((broker) => broker.nodeId === nodeId);
      return kafka.nodes.findIndex(({ port }) => port === found?.port);
    };
    const partitions = [...(topics[0]?.partitions ?? [])].sort((a, b) => a.partitionId - b.partitionId);
    return partitions.map(({ leader }) => indexOf(leader));
  } finally {
    await admin.disconnect();
  }
};

/** Changes one setting of topics while they are in use. */
export const alterTopics = async (
  kafka: KafkaCluster,
  topics: readonly string[],
  changed: Readonly<Record<string, string>>,
): Promise<void> => {
  const admin = new kafkajs.Kafka({ brokers: kafka.brokers, clientId: 'alter', logCreator: () => ignore }).admin();
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  await admin.connect();
  try {
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
  } finally {
    await admin.disconnect();
  }
};
