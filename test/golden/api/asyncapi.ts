import { recordSchemas, schemaFile, type RecordSchema } from './record-schemas.js';

type Topic = {
  readonly says: string;
  /** Whether those outside write to it, or read it. */
  readonly action: 'receive' | 'send';
  readonly key: string;
  readonly partition: string;
  readonly cleanup: 'delete' | 'compact';
  /** The name goes on with that of a queue. */
  readonly ofQueue?: boolean;
};

const LANE = 'The lane of the run: every topic of lanes has as many partitions as there are lanes.';
const ONE = 'One partition.';
const QUEUE = 'As many partitions as the queue has.';
const LANED = { key: 'What it is about, mostly a run id.', partition: LANE, cleanup: 'delete' } as const;
const QUEUED = { key: 'The attempt.', partition: QUEUE, cleanup: 'delete', ofQueue: true } as const;
const ofLane = (action: Topic['action'], says: string): Topic => ({ ...LANED, says, action });
const alone = (says: string, key: string, cleanup: Topic['cleanup'] = 'delete'): Topic =>
  ({ says, action: 'send', key, partition: ONE, cleanup }) as const;
const ofQueue = (says: string): Topic => ({ ...QUEUED, says, action: 'send' });

const topics: Readonly<Record<string, Topic>> = {
  'run-requests': ofLane(
    'receive',
    'The public door: what clients, people and other lanes ask for. Read by coordinators.',
  ),
  'run-replies': ofLane('send', 'What coordinators say to requests, by request id.'),
  'run-events': ofLane(
    'send',
    'History: everything that happened, in the order in which it was decided. Kept for ever.',
  ),
  'step-commands': ofQueue('Attempts to make, from coordinators to executors.'),
  'step-claims': ofQueue('Who may make an attempt: the first claim in the order of the log, and no other.'),
  'step-journal': ofLane('send', 'What executors say about attempts.'),
  'effect-verdicts': ofLane('send', 'What reconcilers have found out about doubts.'),
  heartbeats: alone('Who is alive, and what it serves.', 'The service.'),
  'run-aborts': alone('Runs for which nothing more is to be done.', 'The run.'),
  'run-snapshots': {
    ...ofLane('send', 'What a lane holds, in pieces, so that whoever takes it over need not fold all of its history.'),
    key: 'The slot, `a` or `b`; for a piece its number after it, such as `a/0`.',
    cleanup: 'compact',
  },
  tools: alone('The catalogue of tools.', '`name@version`', 'compact'),
  cluster: alone('What is fixed for a namespace.', '`lanes`', 'compact'),
};

const text = (description: string) => ({ type: 'string', description });
const number = (description: string) => ({ type: 'string', pattern: '^[0-9]+$', description });

/** Bytes that nobody could read have no schema; what is known about them is in the headers. */
const deadLetter = {
  name: 'DeadLetter',
  title: 'A record that nobody could read',
  summary: 'Its own key and bytes, and why and where it was set aside.',
  headers: {
    type: 'object',
    properties: {
      'dead-letter-topic': text('The topic that it was in.'),
      'dead-letter-partition': number('Its partition there.'),
      'dead-letter-offset': number('Its offset there.'),
      'dead-letter-code': text('Why it could not be read, as a code.'),
      'dead-letter-reason': text('Why it could not be read.'),
      'dead-letter-by': text('Who has set it aside.'),
      'dead-letter-at': { type: 'string', format: 'date-time' },
    },
    required: ['dead-letter-topic', 'dead-letter-partition', 'dead-letter-offset'],
  },
};
const resent = {
  name: 'DeadLetterResent',
  title: 'A dead letter was sent again',
  summary: 'Without key and bytes, in the partition of the letter.',
  headers: {
    type: 'object',
    properties: {
      'dead-letter-resent': number('The offset of the letter.'),
      'dead-letter-by': text('Who has asked for it.'),
      'dead-letter-request': text('The id under which it was asked for.'),
      'dead-letter-at': { type: 'string', format: 'date-time' },
    },
    required: ['dead-letter-resent', 'dead-letter-by'],
  },
};
const DEAD = 'dead-letters';
const dead: Readonly<Record<string, object>> = { [`${DEAD}.DeadLetter`]: deadLetter, [`${DEAD}.Resent`]: resent };

/** The AsyncAPI 3 document of all topics that hold records; topics of seats are empty for good. */
export const asyncApi = (version: string): object => {
  const all: Readonly<Record<string, Topic>> = { ...topics, [DEAD]: ofLane('send', 'Records that nobody could read.') };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Holdfast topics',
      version,
      description:
        'Values are CloudEvents 1.0 JSON objects in structured mode. Only `run-requests` is to be written by others; ' +
        '`run-replies` and `run-events` may be read by anybody. The rest is between the services of Holdfast.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(Object.entries(all).map(([name, topic]) => [name, channel(name, topic)])),
    operations: Object.fromEntries(Object.entries(all).map(([name, topic]) => operation(name, topic))),
    components: { messages: { ...Object.fromEntries(recordSchemas.map(message)), ...dead } },
  };
};

const namesIn = (topic: string): readonly string[] =>
  topic === DEAD
    ? Object.keys(dead)
    : recordSchemas.filter((one) => one.topic === topic).map((one) => `${topic}.${one.type}`);

const channel = (name: string, { says, partition, cleanup, ofQueue: queued }: Topic): object => ({
  address: `{namespace}.${name}${queued === true ? '.{queue}' : ''}`,
  title: name,
  description: `${says} ${partition}`,
  parameters: {
    namespace: { default: 'holdfast', description: 'Names of all topics of one installation begin with it.' },
    ...(queued === true ? { queue: { default: 'default', description: 'What executors serve.' } } : {}),
  },
  messages: Object.fromEntries(
    namesIn(name).map((message) => [message.slice(name.length + 1), { $ref: `#/components/messages/${message}` }]),
  ),
  bindings: { kafka: { topicConfiguration: { 'cleanup.policy': [cleanup] }, bindingVersion: '0.5.0' } },
});

const operation = (name: string, { action, says }: Topic): readonly [string, object] => {
  const camel = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const id = `${action}${camel.charAt(0).toUpperCase()}${camel.slice(1)}`;
  const reply = name === 'run-requests' ? { reply: { channel: { $ref: '#/channels/run-replies' } } } : {};
  return [id, { action, channel: { $ref: `#/channels/${name}` }, summary: says, ...reply }];
};

const message = (record: RecordSchema): readonly [string, object] => {
  const { topic, type } = record;
  const key = { type: 'string', description: topics[topic]?.key ?? '' };
  const kafka = { key, bindingVersion: '0.5.0' };
  return [
    `${topic}.${type}`,
    { name: type, title: `${type} in ${topic}`, payload: { $ref: `./${schemaFile(record)}` }, bindings: { kafka } },
  ];
};
