import { isDeepStrictEqual } from 'node:util';
import { routes } from '@holdfast/api';
import { eventually, startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import { commandLine, type Said } from './support/command-line.js';
import { Gateway } from './support/gateway.js';
import { chain, effect, plan } from './support/plans.js';
import { put } from './support/topics.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let postgres: PostgresServer;
let world: World;
let gateway: Gateway;
let ofLog: ReturnType<typeof commandLine>;
let ofGateway: ReturnType<typeof commandLine>;
let done: string;
let asked: string;
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
  world = await World.open(kafka);
  gateway = await Gateway.open(world, postgres.url);
  ofLog = commandLine(kafka.brokers, world.namespace);
  ofGateway = commandLine(['127.0.0.1:1'], world.namespace, { HOLDFAST_GATEWAY: gateway.url });
  [done, asked] = [await world.runs.id('done'), await world.runs.id('asked')];
  await world.runs.submit(done, chain('file', 3), { labels: { team: 'e2e' } });
  await world.runs.submit(asked, plan([effect('post', 'act', { conduct: ['apply-drop', 'ok'], timeoutMs: 1_500 })]));
  await world.runs.ended(done);
  await world.runs.seen(asked, 'EscalationOpened');
  await gateway.until(routes.getRun, { params: { runId: done } }, ({ status }) => status === 'ended');
  await gateway.until(routes.listQuestions, { query: { run: asked } }, ({ items }) => items.length > 0);
});
afterAll(async () => {
  await gateway?.member.killWhole();
  await world?.close();
  await Promise.all([postgres?.stop(), kafka?.stop()]);
});

/** What both say: the log itself, and the gateway without any broker. */
const both = async (...args: readonly string[]): Promise<readonly [Said, Said]> =>
  Promise.all([ofLog(...args, '--json'), ofGateway(...args, '--json')]);

/** Without the moment, which is the coordinator's in the log and the broker's in the database. */
const known = (entry: Readonly<Record<string, unknown>>) => ({ ...entry, at: null });

describe('the command line through a gateway', () => {
  it.each([
    ['runs', []],
    ['runs', ['--label', 'team=e2e', '--status', 'ended', '--reason', 'succeeded']],
    ['runs', ['--status', 'waiting']],
    ['escalations', []],
  ])('says the same of %s %j as the log', async (command, args) => {
    const [log, through] = await both(command, ...args);
    expect([through.exit, through.err]).toEqual([0, '']);
    expect(log.lines.length).toBeGreaterThan(0);
    expect(through.lines).toEqual(log.lines);
  });

  it('says the same of a run: what it is, and what it did to the world', async () => {
    for (const runId of [done, asked]) {
      const [log, through] = await both('get', runId);
      expect(through.lines).toEqual(log.lines);
      const [ledger, same] = await both('effects', runId, '--all');
      expect(same.lines.map(known)).toEqual(ledger.lines.map(known));
    }
  });

  it('explains a run in the same words', async () => {
    const [log, through] = await both('explain', done);
    const parts = ({ lines }: Said) =>
      lines[0]?.['parts'] as readonly { readonly about: string; readonly lines: readonly string[] }[];
    const lasting = (said: Said) => parts(said).filter(({ about }) => about !== 'moving');
    expect(lasting(through)).toEqual(lasting(log));
    expect(through.lines[0]?.['headline']).toBe(log.lines[0]?.['headline']);
  });

  it('shows executors, lanes, projections, and finds the gateway well', async () => {
    expect((await ofGateway('executors', '--json')).lines).toMatchObject([{ kind: 'executor', alive: true }]);
    const lanes = (await ofGateway('lanes', '--json')).lines;
    expect(lanes.map(({ lane, broken }) => [lane, broken])).toEqual([0, 1, 2, 3].map((lane) => [lane, null]));
    const status = await ofGateway('projections', 'status', '--json');
    expect([status.exit, status.lines.filter(({ kind }) => kind === 'projection').length > 0]).toEqual([0, true]);
    const doctor = await ofLog('--gateway', gateway.url, 'doctor', '--json');
    expect(doctor.lines).toContainEqual(expect.objectContaining({ check: 'gateway', result: 'ok' }));
  });

  it('sends a request among the dead letters again, with who has asked for it', async () => {
    await put(
      world.log,
      { topic: world.names.requests, partition: 1 },
      { key: 'k', value: Buffer.from('{"nothing": 1}') },
    );
    const letter = await eventually(
      'a dead letter',
      async () => (await ofGateway('dead-letters', '--json')).lines[0],
      60_000,
    );
    const id = String(letter?.['id']);
    expect((await ofGateway('--as', 'ann', 'dead-letters', id, '--send-again')).exit).toBe(0);
    const [seen] = (await ofLog('dead-letters', id, '--json')).lines;
    expect(seen).toMatchObject({
      sentAgain: 1,
      sentAgainBy: 'ann',
      value: { encoding: 'utf8', text: '{"nothing": 1}' },
    });
    expect((await ofGateway('dead-letters', '3/99')).exit).toBe(4);
  });

  it('makes the rows anew, which then say the same', async () => {
    const [before] = await both('runs');
    expect((await ofGateway('projections', 'rebuild', '--yes')).exit).toBe(0);
    await eventually(
      'the rows are there again',
      async () => isDeepStrictEqual((await ofGateway('runs', '--json')).lines, before.lines),
      60_000,
    );
  });

  it('says that nobody knows a run, and that no gateway answers', async () => {
    expect(await ofGateway('get', 'nobody')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('nobody') as string,
    });
    const gone = await commandLine(kafka.brokers, world.namespace, { HOLDFAST_GATEWAY: 'http://127.0.0.1:1' })('runs');
    expect(gone).toMatchObject({ exit: 3, err: expect.stringContaining('does not answer') as string });
  });
});
