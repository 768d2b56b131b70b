import { allows, lanePlan, queuePlan, rightsOf, roles, topicNames, type Role } from '@holdfast/contracts';
import {
  createKafkaAcls,
  createKafkaLog,
  createKafkaSeats,
  createKafkaTopics,
  missingRights,
  type Log,
} from '@holdfast/log';
import { systemClock, systemIds } from '@holdfast/sdk';
import { prepareCluster } from '@holdfast/service';
import { eventually } from '@holdfast/dev';
import { commandLine, type Said } from '../e2e/support/command-line.js';
import { SecuredKafka } from './support/secured-kafka.js';

const namespace = 'roles';
const names = topicNames(namespace);
const plan = [...lanePlan(names, 1), ...queuePlan(names, 'default', 1)];
const others = roles.filter((role) => role !== 'admin');
const principals = [...others, 'admin' as const].flatMap((role) => ['--principal', `${role}=User:${userOf(role)}`]);

/** `admin` of the broker may do everything; who has the role of that name has another user. */
function userOf(role: Role): string {
  return role === 'admin' ? 'keeper' : role;
}

let kafka: SecuredKafka;
let admin: (...args: readonly string[]) => Promise<Said>;
const logs = new Map<Role, Log>();
const logOf = (role: Role): Log => {
  const log = logs.get(role) ?? createKafkaLog(kafka.optionsOf(userOf(role)));
  logs.set(role, log);
  return log;
};

beforeAll(async () => {
  kafka = await SecuredKafka.start(
    Object.fromEntries([...roles.map(userOf), 'nobody'].map((user) => [user, `secret of ${user}`])),
  );
  admin = commandLine(kafka.brokers, namespace, kafka.envOf('admin'));
  const granted = await admin('--json', 'acls', '--apply', ...principals);
  expect(granted).toMatchObject({ exit: 0, err: '' });
  expect(granted.lines.every(({ granted: count }) => Number(count) > 0)).toBe(true);
});
afterAll(async () => {
  await Promise.all([...logs.values()].map((log) => log.close()));
  await kafka?.stop();
});

describe('the topics', () => {
  it('are made beforehand by who has the role of an administrator, and fixed', async () => {
    const keeper = commandLine(kafka.brokers, namespace, kafka.envOf('keeper'));
    const made = await keeper('topics', '--apply', '--lanes', '1', '--queues', 'default:1');
    expect(made).toMatchObject({ exit: 0, err: '' });
    expect(made.out).toMatch(/^\d+ topics of 1 lane as they must be\.\n$/);
    expect((await keeper('topics', '--apply', '--lanes', '1', '--queues', 'default:1')).exit).toBe(0);
  });

  it('are only checked by services, which say what is missing and who makes it', async () => {
    const options = kafka.optionsOf('coordinator');
    const topics = createKafkaTopics(options);
    const ports = { log: logOf('coordinator'), topics, names, clock: systemClock, ids: systemIds };
    await prepareCluster(ports, { namespace, lanes: 1, queues: { default: 1 } });
    const slow = prepareCluster(ports, { namespace, lanes: 1, queues: { slow: 1 } });
    await expect(slow).rejects.toThrow(
      /^User:coordinator sees no topics roles\.step-commands\.slow, .*may not create them: .*holdfast topics --apply/,
    );
  });
});

/** Whether the broker takes a record from a role. */
const writes = async (role: Role, topic: string): Promise<string> => {
  const answer = await logOf(role).append(topic, 0, [{ key: 'k', value: Buffer.from('{}') }]);
  return answer.outcome === 'refused' ? answer.reason : answer.outcome;
};
const reads = (role: Role, topic: string): Promise<string> =>
  logOf(role)
    .read(topic, 0, 0, { sparse: true })
    .then(
      ({ outcome }) => outcome,
      (error: Error) => (error.message.includes(`may not read ${topic}`) ? 'denied' : String(error)),
    );

describe.each(roles)('%s', (role) => {
  const rights = rightsOf(names, role);
  const expected = (operation: 'read' | 'write') =>
    plan.map(({ name }) => [name, allows(rights, 'topic', name, operation)]);

  it('writes what its rights say, and to no other topic', async () => {
    const found = await Promise.all(plan.map(async ({ name }) => [name, await writes(role, name)]));
    expect(found).toEqual(expected('write').map(([name, may]) => [name, may ? 'appended' : 'denied']));
  });

  it('reads what its rights say, and no other topic', async () => {
    const found = await Promise.all(plan.map(async ({ name }) => [name, await reads(role, name)]));
    expect(found).toEqual(expected('read').map(([name, may]) => [name, may ? 'fetched' : 'denied']));
  });
});

describe('the sentence that', () => {
  it.each([
    ['an executor cannot write history', 'executor', names.history],
    ['a coordinator cannot write verdicts', 'coordinator', names.verdicts],
    ['a submitter cannot write history', 'submitter', names.history],
    ['a submitter cannot write commands', 'submitter', names.commands('default')],
  ] as const)('%s is what the broker says', async (_, role, topic) => {
    const answer = await logOf(role).append(topic, 0, [{ key: null, value: Buffer.from('{}') }]);
    expect(answer).toEqual({
      outcome: 'refused',
      reason: 'denied',
      detail: `User:${role} may not write ${topic}; grant it with: holdfast acls --apply --principal <role>=User:${role}`,
    });
  });
});

describe('seats', () => {
  it('are had by members of the own group only', async () => {
    const warned: unknown[] = [];
    const logger = { ...kafka.optionsOf('executor').logger, warn: (fields: object) => void warned.push(fields) };
    const pool = { topic: names.laneSeats('coordinator'), group: names.group('coordinator') };
    const own = await createKafkaSeats(kafka.optionsOf('coordinator')).join(pool, () => undefined);
    await eventually('the coordinator has its seat', () => Promise.resolve(own.held().size === 1));
    const other = await createKafkaSeats({ ...kafka.optionsOf('executor'), logger }).join(pool, () => undefined);
    await eventually('the executor is refused', () => Promise.resolve(warned.length > 0), 60_000);
    expect(other.held().size).toBe(0);
    await Promise.all([own.leave(), other.leave()]);
  });
});

describe('rights', () => {
  it('are granted once: the second time nothing is missing and nothing too much', async () => {
    const again = await admin('--json', 'acls', '--apply', ...principals);
    for (const { granted, others: beyond } of again.lines) expect([granted, beyond]).toEqual([0, []]);
  });

  it('that are missing are named with what grants them, before anything is begun', async () => {
    const needs = {
      topics: [{ topic: names.history, operations: ['read', 'write'] as const }],
      groups: [names.group('coordinator')],
    };
    expect(await missingRights(kafka.optionsOf('coordinator'), needs)).toEqual([]);
    const grant = 'grant it with: holdfast acls --apply --principal <role>=User:executor';
    expect(await missingRights(kafka.optionsOf('executor'), needs)).toEqual([
      `User:executor may not read ${names.history}; ${grant}`,
      `User:executor may not write ${names.history}; ${grant}`,
      `User:executor may not join the group ${names.group('coordinator')}; ${grant}`,
    ]);
  });

  it('can be taken away again, and only by who may alter the cluster', async () => {
    const lists = createKafkaAcls(kafka.optionsOf('admin'));
    const more = {
      principal: 'User:nobody',
      type: 'topic',
      name: names.history,
      pattern: 'literal',
      operation: 'read',
    } as const;
    await lists.grant([more]);
    expect(await lists.of('User:nobody')).toEqual([more]);
    await lists.revoke([more]);
    expect(await lists.of('User:nobody')).toEqual([]);
    await expect(createKafkaAcls(kafka.optionsOf('operator')).grant([more])).rejects.toThrow(
      'only a principal that may alter',
    );
  });
});
