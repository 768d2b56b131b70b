import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { parsePlan, type Plan } from '@holdfast/programs';
import { yamlSource } from '@holdfast/yaml';
import { says, Sink, type Seen } from '../../libs/http-tools/src/sink.fixture.js';
import { World } from './support/world.js';

/** What the page says, with the hosts of this test. */
const page = readFileSync(new URL('../../docs/http-tools.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);
const [payments = '', payPlan = '', filings = '', filePlan = ''] = blocks;
const planIn = (text: string): Plan => {
  const parsed = parsePlan(yamlSource(text, 'plan.yaml').value);
  if ('plan' in parsed) return parsed.plan;
  throw new Error(JSON.stringify(parsed.problems));
};

/** An API of each kind: what it does with the next requests, and then it answers as it should. */
type Conduct = 'hold before' | 'hold after' | 'reset after' | 'error after';
const sink = new Sink();
let conducts: Conduct[] = [];
const charges = new Map<string, string>();
const filed: { readonly number: number; readonly reference: string; readonly title: string }[] = [];

const charge = ({ headers }: Seen): unknown => {
  const key = String(headers['idempotency-key']);
  if (!charges.has(key)) charges.set(key, `pay-${charges.size + 1}`);
  return { id: charges.get(key) };
};
const fileIt = ({ body }: Seen): unknown => {
  const { title, reference } = JSON.parse(body) as { title: string; reference: string };
  const filing = { number: filed.length + 1, reference, title };
  filed.push(filing);
  return filing;
};
const find = ({ url }: Seen): unknown => {
  const reference = new URL(url, sink.origin).searchParams.get('reference');
  return { filings: filed.filter((filing) => filing.reference === reference) };
};

const answer = (seen: Seen, response: ServerResponse): void => {
  if (seen.method === 'GET') return says(200, find(seen))(seen, response);
  const conduct = conducts.shift();
  if (conduct === 'hold before') return;
  const result = seen.url.startsWith('/filings') ? fileIt(seen) : charge(seen);
  if (conduct === 'hold after') return;
  if (conduct === 'reset after') response.destroy();
  else if (conduct === 'error after') says(500)(seen, response);
  else says(201, result)(seen, response);
};
const posts = (): readonly Seen[] => sink.seen.filter(({ method }) => method === 'POST');
const posted = (times: number): Promise<true> =>
  eventually(`the API is called ${times} times`, async () => posts().length >= times, 60_000);

const folder = mkdtempSync(join(tmpdir(), 'holdfast-http-'));
let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  await sink.open();
  sink.answer = answer;
  const here = (text: string): string =>
    text
      .replaceAll(/https:\/\/(?:payments|office)\.example/g, sink.origin)
      .replaceAll(/\{ hosts: \[[a-z.]+\] \}/g, '{ addresses: [127.0.0.1] }')
      // What a test need not wait for.
      .replaceAll('settleMs: 5000', 'settleMs: 300');
  const files = [payments, filings].map((text, index) => {
    const path = join(folder, `tools-${index}.yaml`);
    writeFileSync(path, here(text));
    return path;
  });
  const given = { HOLDFAST_TOOLS: files.join(','), PAYMENTS_TOKEN: 'payments-token-1', OFFICE_KEY: 'office-key-0001' };
  const env = Object.fromEntries(
    ['executor', 'reconciler'].flatMap((kind) =>
      Object.entries(given).map(([name, value]) => [`${kind}:${name}`, value]),
    ),
  );
  world = await World.open({ brokers: kafka.brokers, env });
});
afterAll(async () => {
  await world?.close();
  sink.close();
  await kafka?.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  sink.seen.length = 0;
  conducts = [];
  filed.length = 0;
  charges.clear();
});

describe('the payment of docs/http-tools.md', () => {
  it('is made once, under one key, through a kill, a reset and an error', async () => {
    conducts = ['hold after', 'reset after', 'error after'];
    const runId = await world.runs.id('pay');
    await world.runs.submit(runId, planIn(payPlan), { input: { customer: 'c/1', order: 'order-1001' } });
    await posted(1);
    world.member('executor-1').killWorker();
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 'pay-1' });
    expect(charges.size).toBe(1);
    expect(posts()).toHaveLength(4);
    expect(new Set(posts().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(posts()[0]).toMatchObject({
      url: '/v1/customers/c%2F1/charges',
      body: '{"order":"order-1001","amount":"50.00","currency":"EUR"}',
      headers: { authorization: 'Bearer payments-token-1' },
    });
  });
});

describe('the filing of docs/http-tools.md', () => {
  const file = async (): Promise<string> => {
    const runId = await world.runs.id('file');
    await world.runs.submit(runId, planIn(filePlan), { input: { title: 'Deed' } });
    await posted(1);
    world.member('executor-1').killWorker();
    return runId;
  };

  it('is found where it was made before the worker died, and not made again', async () => {
    conducts = ['hold after'];
    const runId = await file();
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 1 });
    const history = await world.runs.history(runId);
    expect(history.all('DoubtSettled', 'file')).toMatchObject([{ data: { verdict: 'applied' } }]);
    expect([filed.length, posts().length]).toEqual([1, 1]);
  });

  it('is made again where it was not', async () => {
    conducts = ['hold before'];
    const runId = await file();
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 1 });
    const history = await world.runs.history(runId);
    expect(history.all('DoubtSettled', 'file')).toMatchObject([{ data: { verdict: 'absent' } }]);
    expect([filed.length, posts().length]).toEqual([1, 2]);
    expect(sink.seen[0]?.headers['x-office-key']).toBe('office-key-0001');
  });
});
