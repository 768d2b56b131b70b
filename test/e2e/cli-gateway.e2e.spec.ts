import { isDeepStrictEqual } from 'node:util';
import { routes } from '@holdfast/api';
import { eventually, startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import { commandLine, type Said } from './support/command-line.js';
import { Gateway } from './support/gateway.js';
import { ModelClient } from './support/model-client.js';
import { chain, effect, from, plan, step } from './support/plans.js';
import { asks, sums } from './support/through-gateway.js';
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
  gateway = await Gateway.open(world, postgres.url, { HOLDFAST_MCP: 'write' });
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

type ToolsSaid = { readonly tools?: readonly Record<string, unknown>[] };
const ways: readonly [string, () => Promise<ModelClient>][] = [
  ['at the gateway', () => ModelClient.over(gateway.url, { 'x-holdfast-principal': 'a-model' })],
  ['of holdfast mcp', () => ModelClient.beside({ HOLDFAST_GATEWAY: gateway.url }, '--as', 'a-model', 'mcp')],
];

describe.each(ways)('the tools for models %s', (_, open) => {
  let model: ModelClient;
  beforeAll(async () => {
    model = await open();
  });
  afterAll(() => model?.close());

  const taken = async (name: string, args: Record<string, unknown>) => {
    const { isError, text, said } = await model.call(name, args);
    expect([isError, text]).toEqual([false, JSON.stringify(said)]);
    return said;
  };
  const refused = async (name: string, args: Record<string, unknown>) => {
    const { isError, text } = await model.call(name, args);
    expect(isError).toBe(true);
    return text;
  };

  it('begin a run once, however often it is submitted, and show it', async () => {
    const isServed = (tool: Record<string, unknown> | undefined) => tool?.['served'] === true;
    const { tools } = await model.until('list_tools', { tool: 'add@1' }, ({ tools: [tool] = [] }: ToolsSaid) =>
      isServed(tool),
    );
    expect(tools).toMatchObject([{ tool: 'add@1', policy: 'pure', inputSchema: { value: { type: 'object' } } }]);
    const runId = await world.runs.id('model');
    const order = { runId, program: sums, input: { numbers: [1, 2] }, labels: { by: runId } };
    // Whoever does not wait knows nothing of the answer, as after one that was lost.
    expect(await taken('submit_run', { ...order, waitMs: 0 })).toMatchObject({ outcome: 'pending' });
    expect(await taken('submit_run', order)).toMatchObject({ outcome: 'unchanged' });
    const other = await refused('submit_run', { ...order, input: { numbers: [3] } });
    expect(other).toMatch(/^run_id_taken: .*\nA run with this id is there already/s);
    const run = await model.until('get_run', { runId }, ({ status }) => status === 'ended');
    expect(run).toMatchObject({ reason: 'succeeded', output: { value: 4 }, submittedBy: 'a-model' });
    expect((await world.runs.history(runId)).types().filter((type) => type === 'RunAccepted')).toHaveLength(1);
    const runs = await taken('list_runs', { label: [`by=${runId}`] });
    expect(runs).toMatchObject({ runs: [{ runId, status: 'ended' }], next: null });
    const steps = await taken('list_steps', { runId, limit: 1 });
    expect(steps).toMatchObject({ steps: [{ stepId: 'first', status: 'succeeded' }] });
    expect(await taken('list_steps', { runId, limit: 1, cursor: steps['next'] })).toMatchObject({ next: null });
    expect(await taken('get_step', { runId, stepId: 'twice' })).toMatchObject({
      args: { value: { numbers: [3, 1] } },
      result: { value: { sum: 4 } },
    });
    expect(await taken('explain_run', { runId })).toMatchObject({
      runId,
      headline: expect.stringMatching(/\w/) as string,
    });
    expect(await taken('read_part', { part: 'output', runId })).toEqual({ text: '4', characters: 1, nextOffset: null });
  });

  it('say what is wrong with a program, a run that nobody knows, and a page that is none', async () => {
    const program = plan([step('a', 'walk', {})]);
    const wrong = await refused('submit_run', { runId: await world.runs.id('wrong'), program });
    expect(wrong).toMatch(/^invalid_program: .*walk@1.*Nothing was begun/s);
    expect(await refused('get_run', { runId: 'nobody' })).toMatch(/^unknown_run: .*list_runs/s);
    expect(await refused('get_step', { runId: done, stepId: 'z' })).toMatch(/^unknown_step: .*list_steps/s);
    expect(await refused('list_runs', { cursor: 'nonsense' })).toContain('- cursor: is not a cursor');
    const nobody = await world.runs.id('nobody');
    const kept = await taken('cancel_run', { runId: nobody });
    expect(kept['next']).toContain(`There is no run ${nobody}.`);
  });

  it('answer what a run asks, and no second time', async () => {
    const runId = await world.runs.id('asks');
    await taken('submit_run', { runId, program: asks });
    const inbox = await model.until('list_escalations', { runId }, ({ escalations }) => (escalations as []).length > 0);
    const [{ escalation } = {}] = inbox['escalations'] as readonly { readonly escalation?: number }[];
    expect(inbox['escalations']).toMatchObject([{ runId, kind: 'question', wantsValue: true }]);
    const answer = { runId, escalation, choice: 'answer', value: { limit: 3 }, note: 'said by ann' };
    const unfit = { ...answer, value: { limit: 'x' } };
    expect(await refused('answer_escalation', unfit)).toMatch(/^answer_wrong: /);
    expect(await taken('answer_escalation', answer)).toMatchObject({ outcome: 'accepted' });
    await world.runs.ended(runId);
    // The same answer again is the same request, also after the end of the run.
    expect(await taken('answer_escalation', answer)).toMatchObject({ outcome: 'accepted' });
    const late = await refused('answer_escalation', { ...answer, value: { limit: 4 } });
    expect(late).toMatch(/^already_answered: .*The first answer counts/s);
    await model.until('get_run', { runId }, ({ status }) => status === 'ended');
    expect((await taken('list_escalations', { runId }))['escalations']).toEqual([]);
    const over = await taken('list_escalations', { runId, status: ['answered'] });
    expect(over['escalations']).toMatchObject([{ status: 'answered', answeredBy: 'a-model', note: 'said by ann' }]);
  });

  it('cancel a run, and say that it is over', async () => {
    const runId = await world.runs.id('cancelled');
    await taken('submit_run', { runId, program: asks });
    expect(await taken('cancel_run', { runId, reason: 'sold out' })).toMatchObject({ outcome: 'accepted' });
    const run = await model.until('get_run', { runId }, ({ status }) => status === 'ended');
    expect(run).toMatchObject({ reason: 'cancelled', cancel: { reason: 'sold out', by: 'a-model' } });
    expect(await taken('cancel_run', { runId })).toMatchObject({ outcome: 'unchanged' });
  });
});

describe('the tools for models', () => {
  it('that only look are all that there are where no more is wanted', async () => {
    const model = await ModelClient.beside({ HOLDFAST_GATEWAY: gateway.url }, 'mcp', '--read-only');
    expect(await model.tools()).not.toContain('submit_run');
    expect((await model.call('cancel_run', { runId: done })).text).toMatch(/^read_only: /);
    expect((await model.call('get_run', { runId: done })).said).toMatchObject({ status: 'ended' });
    await model.close();
  });

  it('show a run of 1,000 steps in bounds, and each of its steps to who goes on', async () => {
    const runId = await world.runs.id('long');
    const each = { id: 'each', forEach: from('input.items'), steps: [step('add', 'add', { numbers: [from('item')] })] };
    const items = Array.from({ length: 1_000 }, (_, index) => 1_000_000 + index);
    await world.runs.submit(runId, plan([each]), { input: { items } });
    await world.runs.ended(runId);
    const model = await ModelClient.over(gateway.url);
    const run = await model.until('get_run', { runId }, ({ status }) => status === 'ended');
    expect(run).toMatchObject({
      stepsSucceeded: 1_000,
      input: { omitted: { readPartWith: { part: 'input', runId } } },
    });
    expect(JSON.stringify(run).length).toBeLessThan(20_000);
    const page = (await model.call('list_steps', { runId, limit: 40, text: 'each[9' })).said;
    expect([(page['steps'] as []).length, page['next'] === null]).toEqual([40, false]);
    expect((await model.call('explain_run', { runId })).text.length).toBeLessThan(20_000);
    await model.close();
  });
});

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
