/** One node of a development cluster: broker and controller in one process. */
export type NodeAddress = { readonly id: number; readonly port: number; readonly controllerPort: number };

/** The node's `server.properties`. What is small here is small to start fast; what is strict is as the runtime asks. */
export const serverProperties = (
  node: NodeAddress,
  all: readonly NodeAddress[],
  dataDir: string,
  overrides: Readonly<Record<string, string>>,
): string => {
  const replicas = String(Math.min(3, all.length));
  const inSync = all.length >= 3 ? '2' : '1';
  const properties: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': String(node.id),
    listeners: `PLAINTEXT://127.0.0.1:${node.port},CONTROLLER://127.0.0.1:${node.controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.quorum.voters': all.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(','),
    'log.dirs': dataDir,
    'auto.create.topics.enable': 'false',
    'unclean.leader.election.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'transaction.state.log.num.partitions': '4',
    // A killed broker may register again only when its old session is over; by default that takes 9 s.
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '400',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    'log.cleaner.dedupe.buffer.size': '2097152',
    'num.network.threads': '2',
    'num.io.threads': '4',
    ...overrides,
  };
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
};

/** What a formatted data folder says about itself. */
export const metaProperties = (nodeId: number, clusterId: string, directoryId: string): string =>
  `version=1\nnode.id=${nodeId}\ncluster.id=${clusterId}\ndirectory.id=${directoryId}\n`;
