import type { TopicNames } from './topics.js';

/** Who there is in front of the brokers. A service may be several processes; each kind has a principal of its own. */
export const roles = ['coordinator', 'executor', 'reconciler', 'gateway', 'submitter', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export type Operation = 'read' | 'write' | 'create' | 'describe' | 'describe-configs' | 'alter' | 'alter-configs';
export type Resource = {
  readonly type: 'topic' | 'group' | 'cluster';
  readonly name: string;
  /** `prefixed`: all whose name begins so. */
  readonly pattern: 'literal' | 'prefixed';
};
/** What may be done with a resource; anything that is not listed is refused. */
export type Right = { readonly resource: Resource; readonly operations: readonly Operation[] };

type TopicKey =
  | 'requests'
  | 'replies'
  | 'history'
  | 'journal'
  | 'verdicts'
  | 'heartbeats'
  | 'aborts'
  | 'tools'
  | 'deadLetters'
  | 'snapshots'
  | 'cluster';
type Use = {
  readonly reads: readonly TopicKey[];
  readonly writes: readonly TopicKey[];
  /** Of all queues. */
  readonly queuesRead?: readonly ('commands' | 'claims')[];
  readonly queuesWrite?: readonly ('commands' | 'claims')[];
  readonly seats?: 'lanes' | 'queues';
  /** May see names, sizes and settings of all topics, never what is in them: services check them at their start. */
  readonly describesAll?: true;
};

/** Which topics a role reads and writes. `admin` stands apart: it makes topics and gives rights. */
const USES: Readonly<Record<Exclude<Role, 'admin'>, Use>> = {
  coordinator: {
    reads: ['requests', 'history', 'journal', 'verdicts', 'heartbeats', 'tools', 'cluster', 'snapshots'],
    writes: ['requests', 'replies', 'history', 'heartbeats', 'aborts', 'deadLetters', 'snapshots'],
    queuesRead: ['claims'],
    queuesWrite: ['commands', 'claims'],
    seats: 'lanes',
    describesAll: true,
  },
  executor: {
    reads: ['aborts', 'tools', 'cluster'],
    writes: ['journal', 'heartbeats', 'tools', 'deadLetters'],
    queuesRead: ['commands', 'claims'],
    queuesWrite: ['claims'],
    seats: 'queues',
    describesAll: true,
  },
  reconciler: {
    reads: ['history', 'cluster', 'snapshots'],
    writes: ['verdicts', 'heartbeats'],
    seats: 'lanes',
    describesAll: true,
  },
  gateway: {
    reads: ['replies', 'history', 'heartbeats', 'tools', 'deadLetters', 'cluster'],
    writes: ['requests', 'deadLetters'],
    seats: 'lanes',
    describesAll: true,
  },
  submitter: { reads: ['replies', 'cluster'], writes: ['requests'] },
  operator: {
    reads: [
      'requests',
      'replies',
      'history',
      'journal',
      'verdicts',
      'heartbeats',
      'aborts',
      'tools',
      'deadLetters',
      'snapshots',
      'cluster',
    ],
    writes: ['requests', 'deadLetters'],
    queuesRead: ['commands', 'claims'],
    describesAll: true,
  },
};

/** What a role may do, as access lists say it. Least rights: without any one of them something of its work fails. */
export const rightsOf = (names: TopicNames, role: Role): readonly Right[] => {
  if (role === 'admin') return adminRights(names);
  const use = USES[role];
  return [
    ...topicRights(names, use),
    ...queueRights(names, use),
    ...seatRights(names, role, use.seats),
    ...(use.describesAll === true
      ? [right('topic', allTopics(names), ['describe', 'describe-configs'], 'prefixed')]
      : []),
  ];
};

/** Whether rights allow it. A right to read or write a thing is one to describe it. */
export const allows = (rights: readonly Right[], type: Resource['type'], name: string, operation: Operation): boolean =>
  rights.some(({ resource, operations }) => {
    const isIt = resource.pattern === 'literal' ? resource.name === name : name.startsWith(resource.name);
    const implied = operation === 'describe' && operations.some((one) => one === 'read' || one === 'write');
    return resource.type === type && isIt && (operations.includes(operation) || implied);
  });

const adminRights = (names: TopicNames): readonly Right[] => [
  right('topic', allTopics(names), ['create', 'describe', 'describe-configs', 'alter-configs'], 'prefixed'),
  // The number of lanes is fixed with the topics.
  right('topic', names.cluster, ['read', 'write']),
  right('cluster', 'kafka-cluster', ['describe', 'alter']),
];

const topicRights = (names: TopicNames, { reads, writes }: Use): readonly Right[] =>
  [...new Set([...reads, ...writes])].map((key) =>
    right('topic', names[key], [
      ...(reads.includes(key) ? (['read'] as const) : []),
      ...(writes.includes(key) ? (['write'] as const) : []),
    ]),
  );

const queueRights = (names: TopicNames, { queuesRead = [], queuesWrite = [] }: Use): readonly Right[] =>
  [...new Set([...queuesRead, ...queuesWrite])].map((kind) =>
    right(
      'topic',
      names[kind](''),
      [
        ...(queuesRead.includes(kind) ? (['read'] as const) : []),
        ...(queuesWrite.includes(kind) ? (['write'] as const) : []),
      ],
      'prefixed',
    ),
  );

const seatRights = (names: TopicNames, role: Role, seats: Use['seats']): readonly Right[] => {
  if (seats === 'queues')
    return [
      right('topic', names.queueSeats(''), ['read'], 'prefixed'),
      right('group', names.group('queue.'), ['read'], 'prefixed'),
    ];
  if (seats === undefined) return [];
  const topic = names.laneSeats(role as Parameters<TopicNames['laneSeats']>[0]);
  return [right('topic', topic, ['read']), right('group', names.group(role), ['read'])];
};

/** The namespace and its dot, with which all its topics begin. */
const allTopics = (names: TopicNames): string => names.commandsPrefix.replace(/step-commands\.$/, '');

const right = (
  type: Resource['type'],
  name: string,
  operations: readonly Operation[],
  pattern: Resource['pattern'] = 'literal',
): Right => ({ resource: { type, name, pattern }, operations });
