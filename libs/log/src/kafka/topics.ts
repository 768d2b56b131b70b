import kafkajs from 'kafkajs';
import type { Admin, ITopicConfig } from 'kafkajs';
import { TopicMismatch } from '../topics.port.js';
import type { Topics, TopicSpec } from '../topics.port.js';
import { principalOf } from './access.js';
import { withAdmin } from './admin.js';
import { LogUnavailable } from '../log.port.js';
import { againUntilHeard, HEARD_MS, whenHeard, whenLed } from './heard.js';
import { answerType, detailOf } from './internals.js';
import { isUnanswered } from './unanswered.js';
import type { KafkaOptions } from './options.js';

export type Replication = { readonly factor: number; readonly minInsync: number };

export type KafkaTopicsOptions = KafkaOptions & {
  /** For topics to create and to check; by default 3 with 2 in sync, or what fewer brokers allow with 1. */
  readonly replication?: Replication;
  /** One call with all its requests, in ms; default 30,000. */
  readonly timeoutMs?: number;
};

/** `Topics` on Kafka: creates with broker time stamps and without unclean election; compares what is there. */
export function createKafkaTopics(options: KafkaTopicsOptions): Topics {
  const run = <T>(work: (admin: Admin) => Promise<T>): Promise<T> =>
    withAdmin(options, options.timeoutMs ?? 30_000, work).catch((error: unknown) => {
      throw isUnanswered(error) ? new LogUnavailable(detailOf(error), { cause: error }) : error;
    });
  return {
    ensure: async (specs) => {
      const created = await run((admin) => ensure(admin, specs, principalOf(options), options.replication));
      // A connection that has found no leader goes on believing so: each time it is asked over a new one.
      if (created.length > 0) await whenLed(() => run((admin) => areLed(admin, created)));
    },
    differences: (specs) => run((admin) => differences(admin, specs, options.replication)),
    partitions: (topics) => run((admin) => whenHeard(() => partitionCounts(admin, topics))),
    list: (prefix) => run(async (admin) => (await admin.listTopics()).filter((name) => name.startsWith(prefix)).sort()),
  };
}

/** Answers what it has created. */
async function ensure(
  admin: Admin,
  specs: readonly TopicSpec[],
  principal: string,
  given?: Replication,
): Promise<readonly TopicSpec[]> {
  const replication = given ?? (await usual(admin));
  const names = specs.map(({ name }) => name);
  const before = await whenHeard(() => partitionCounts(admin, names));
  const missing = specs.filter(({ name }) => before.get(name) === null);
  if (missing.length > 0) await create(admin, missing, replication, principal);
  const shapes = await listed(admin, names);
  const unheard = missing.filter(({ name }) => shapes.get(name) === null).map(({ name }) => name);
  if (unheard.length > 0) throw new LogUnavailable(`no broker has heard of ${unheard.join(', ')}, created just now`);
  const wrong = await compared(admin, specs, shapes, replication);
  if (wrong.length > 0) throw new TopicMismatch(wrong.join('\n'));
  return missing;
}

/** Compares what is there; creates nothing. */
async function differences(admin: Admin, specs: readonly TopicSpec[], given?: Replication): Promise<readonly string[]> {
  const replication = given ?? (await usual(admin));
  const shapes = await whenHeard(() =>
    topicShapes(
      admin,
      specs.map(({ name }) => name),
    ),
  );
  return compared(admin, specs, shapes, replication);
}

async function compared(
  admin: Admin,
  specs: readonly TopicSpec[],
  shapes: ReadonlyMap<string, Shape | null>,
  replication: Replication,
): Promise<readonly string[]> {
  const present = specs.filter(({ name }) => (shapes.get(name) ?? null) !== null);
  const configs = present.length === 0 ? new Map() : await whenHeard(() => describe(admin, present));
  return specs.flatMap((spec) =>
    compare(spec, shapes.get(spec.name) ?? null, configs.get(spec.name) ?? new Map(), replication),
  );
}

/** Whether the leader of each partition answers for it. */
async function areLed(admin: Admin, specs: readonly TopicSpec[]): Promise<boolean> {
  for (const { name, partitions } of specs) {
    if ((await admin.fetchTopicOffsets(name)).length < partitions) return false;
  }
  return true;
}

async function usual(admin: Admin): Promise<Replication> {
  const { brokers } = await admin.describeCluster();
  return brokers.length >= 3 ? { factor: 3, minInsync: 2 } : { factor: brokers.length, minInsync: 1 };
}

/** Another process may create the same topics at the same time; what it made is compared afterwards like any other. */
async function create(
  admin: Admin,
  specs: readonly TopicSpec[],
  replication: Replication,
  principal: string,
): Promise<void> {
  const topics = specs.map((spec) => topicConfig(spec, replication));
  try {
    await admin.createTopics({ topics, waitForLeaders: false });
  } catch (error) {
    if (isDenied(error)) throw mayNotCreate(error, specs, principal);
    if (!existsAlready(error)) throw cannotCreate(error);
    if (topics.length === 1) return;
    for (const topic of topics) {
      await admin.createTopics({ topics: [topic], waitForLeaders: false }).catch((again: unknown) => {
        if (!existsAlready(again)) throw cannotCreate(again);
      });
    }
  }
}

function existsAlready(error: unknown): boolean {
  if (answerType(error) === 'TOPIC_ALREADY_EXISTS') return true;
  const errors = (error as { errors?: readonly unknown[] }).errors;
  return errors !== undefined && errors.length > 0 && errors.every(existsAlready);
}

function isDenied(error: unknown): boolean {
  const type = answerType(error) ?? '';
  const { errors = [] } = error as { errors?: readonly unknown[] };
  return type.endsWith('_AUTHORIZATION_FAILED') || errors.some(isDenied);
}

/** To those who may not see a topic it is not there either. */
function mayNotCreate(error: unknown, specs: readonly TopicSpec[], principal: string): Error {
  const named = specs.map(({ name }) => name).join(', ');
  return new Error(
    `${principal} sees no topics ${named}, and may not create them: an administrator creates topics with ` +
      `holdfast topics --apply and gives this service its rights with holdfast acls --apply --principal <role>=${principal}`,
    { cause: error },
  );
}

/** kafkajs' own message names neither the topics nor what is wrong with them. */
function cannotCreate(error: unknown): Error {
  const errors = (error as { errors?: readonly { topic?: string; message: string }[] }).errors ?? [];
  const reasons = errors.map(({ topic, message }) => `${topic}: ${message}`);
  return new Error(`topics cannot be created: ${[detailOf(error), ...reasons].join('; ')}`, { cause: error });
}

function topicConfig(spec: TopicSpec, { factor, minInsync }: Replication): ITopicConfig {
  const wanted = settings(spec, minInsync);
  const configEntries = [...wanted].map(([name, value]) => ({ name, value }));
  return { topic: spec.name, numPartitions: spec.partitions, replicationFactor: factor, configEntries };
}

function settings(spec: TopicSpec, minInsync: number): ReadonlyMap<string, string> {
  const wanted = new Map([
    ['cleanup.policy', spec.cleanup],
    ['message.timestamp.type', 'LogAppendTime'],
    ['min.insync.replicas', String(minInsync)],
    ['retention.ms', String(spec.retentionMs)],
    ['unclean.leader.election.enable', 'false'],
  ]);
  if (spec.bytesMax !== undefined) wanted.set('max.message.bytes', String(spec.bytesMax));
  if (spec.segmentBytes !== undefined) wanted.set('segment.bytes', String(spec.segmentBytes));
  return wanted;
}

/** The shapes of topics that are there, or were created a moment ago, perhaps by another process. */
async function listed(admin: Admin, names: readonly string[]): Promise<ReadonlyMap<string, Shape | null>> {
  const until = performance.now() + HEARD_MS;
  for (;;) {
    const shapes = await whenHeard(() => topicShapes(admin, names));
    if (![...shapes.values()].includes(null) || performance.now() > until) return shapes;
    await againUntilHeard();
  }
}

type Shape = { readonly partitions: number; readonly copies: number };

async function topicShapes(admin: Admin, topics: readonly string[]): Promise<ReadonlyMap<string, Shape | null>> {
  const existing = new Set(await admin.listTopics());
  const present = topics.filter((topic) => existing.has(topic));
  // Asking for no topic in particular would answer for all.
  const metadata = present.length === 0 ? [] : (await admin.fetchTopicMetadata({ topics: present })).topics;
  const shapes = new Map(
    metadata.map(({ name, partitions }) => [
      name,
      { partitions: partitions.length, copies: Math.min(...partitions.map(({ replicas }) => replicas.length)) },
    ]),
  );
  return new Map(topics.map((topic) => [topic, shapes.get(topic) ?? null]));
}

async function partitionCounts(admin: Admin, topics: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
  const shapes = await topicShapes(admin, topics);
  return new Map([...shapes].map(([topic, shape]) => [topic, shape?.partitions ?? null]));
}

async function describe(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const answer = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ name }) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  });
  return new Map(
    answer.resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}

function compare(
  spec: TopicSpec,
  shape: Shape | null,
  config: ReadonlyMap<string, string>,
  { factor, minInsync }: Replication,
): readonly string[] {
  if (shape === null) return [`${spec.name}: there is no such topic; a service creates what is missing when it starts`];
  const differences: string[] = [];
  if (shape.partitions !== spec.partitions) {
    differences.push(
      `${spec.name}: has ${shape.partitions} partitions, wanted ${spec.partitions}; the count is fixed for life: ` +
        `set it to ${shape.partitions}, or use another namespace`,
    );
  }
  if (shape.copies < factor) {
    differences.push(
      `${spec.name}: has replication factor ${shape.copies}, wanted ${factor}; ` +
        `add copies with kafka-reassign-partitions`,
    );
  }
  for (const [name, wanted] of settings(spec, minInsync)) {
    const got = config.get(name);
    if (got === undefined || satisfies(name, got, wanted)) continue;
    differences.push(
      `${spec.name}: ${name} is ${got}, wanted ${wanted}; change it with ` +
        `kafka-configs --alter --topic ${spec.name} --add-config ${name}=${wanted}`,
    );
  }
  return differences;
}

/** More copies in sync, larger records and smaller files than wanted do no harm. */
function satisfies(name: string, got: string, wanted: string): boolean {
  if (name === 'min.insync.replicas' || name === 'max.message.bytes') return Number(got) >= Number(wanted);
  if (name === 'segment.bytes') return Number(got) <= Number(wanted);
  return got === wanted;
}
