import { runTool, verifyTool, type Tool } from '@holdfast/sdk';
import { cuttingProxy, type CuttingProxy } from '../contract/cutting-proxy.js';
import { probeContract } from '../contract/probe-contract.js';
import type { ProbeWorld } from '../contract/probe-world.js';
import { keyMarker } from '../key-marker.js';
import { putObject, type PutObject } from './put-object.js';
import { CREDENTIALS, StrictStore } from './strict-store.fixture.js';

const store = new StrictStore();
let way: CuttingProxy;
let world: ProbeWorld;
const toolOf = (more: Partial<PutObject> = {}): Tool =>
  putObject({
    name: 'put-note',
    version: '1',
    store: { endpoint: `http://127.0.0.1:${way.port}`, bucket: 'notes', ...CREDENTIALS },
    ...more,
  }) as Tool;

/** How often a step has put an object below a folder. */
const putsOf = (key: string, folder: string): number =>
  store.puts.filter(({ path, marker }) => marker === keyMarker(key) && path.startsWith(folder)).length;

beforeAll(async () => {
  way = await cuttingProxy({ port: await store.listen(), effect: (bytes) => bytes.includes('PUT /notes') });
  world = {
    tool: toolOf(),
    args: (text) => ({ key: `of/{marker}.txt`, content: text, contentType: 'text/plain; charset=utf-8' }),
    effects: async (key) => putsOf(key, '/notes/of/'),
    fault: (fault) => way.fault(fault),
    secrets: [CREDENTIALS.secretAccessKey],
  };
});
afterAll(async () => {
  await way.close();
  store.close();
});
afterEach(() => void (store.answer = null));

describe('an object that is put', () => {
  for (const { name, run } of probeContract(() => world)) it(name, run);

  it('is put once by two attempts of a step at once', async () => {
    const args = world.args('both');
    const calls = await Promise.all([0, 1].map((attempt) => runTool(world.tool, args, { key: 'both', attempt })));
    expect(calls.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
    expect(await world.effects('both')).toBe(1);
  });

  it.each(['plain', 'a b+c', "o'brien (1)!*.txt", 'größe/日本/😀', '%41', '~tilde', 'a//b', 'q?x=1#f&g'])(
    'is named %j, and signed for it',
    async (key) => {
      expect(await runTool(toolOf(), { key, content: 'x' }, { key })).toMatchObject({
        outcome: 'succeeded',
        result: { key },
      });
      expect(store.objects.has(`/notes/${key}`)).toBe(true);
    },
  );

  it.each([
    ['a way up', '../other/x'],
    ['a way up in the middle', 'a/../../x'],
    ['a dot as a part', './x'],
    ['a slash first', '/x'],
    ['a line break', 'a\nb'],
    ['1,025 bytes', 'x'.repeat(1_025)],
  ])('is not named with %s', async (_, key) => {
    store.seen.length = 0;
    expect(await runTool(toolOf(), { key, content: 'x' })).toMatchObject({ outcome: 'failed', retry: 'never' });
    expect(store.seen).toEqual([]);
  });

  it('holds the bytes that are given, under the prefix', async () => {
    const tool = toolOf({ prefix: 'in/' });
    const outcome = await runTool(tool, { key: 'bytes', content: 'AP8Q', encoding: 'base64' }, { key: 'bytes' });
    expect(outcome).toMatchObject({ result: { key: 'in/bytes', bytes: 3, bucket: 'notes' } });
    expect(store.objects.get('/notes/in/bytes')?.body).toEqual(Buffer.from([0x00, 0xff, 0x10]));
  });

  it('is refused with wrong credentials, and said to be', async () => {
    const tool = toolOf({
      store: { endpoint: `http://127.0.0.1:${way.port}`, bucket: 'notes', ...CREDENTIALS, secretAccessKey: 'x' },
    });
    expect(await runTool(tool, { key: 'k', content: 'x' })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'http_403' },
    });
    expect(await verifyTool(tool, { key: 'k', content: 'x' })).toMatchObject({ verdict: 'unknown' });
  });

  it('has an endpoint that is a URL', () => {
    const store = { bucket: 'notes', ...CREDENTIALS };
    for (const endpoint of ['store.example', 'ftp://store.example', '']) {
      expect(() => toolOf({ store: { ...store, endpoint } })).toThrow('is no URL of http or https');
    }
  });

  it('is refused by a bucket that is elsewhere, with its region', async () => {
    store.answer = (_, response) => {
      response.writeHead(301, { 'x-amz-bucket-region': 'us-east-2' }).end();
      return true;
    };
    const outcome = await runTool(toolOf(), { key: 'k', content: 'x' });
    expect(outcome).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'store_elsewhere' } });
    expect(JSON.stringify(outcome)).toContain('us-east-2');
  });

  it.each([500, 503, 408])('may be there after the answer %i', async (status) => {
    store.answer = (_, response) => {
      response.writeHead(status).end();
      return true;
    };
    expect(await runTool(toolOf(), { key: 'k', content: 'x' })).toMatchObject({ outcome: 'unknown' });
  });
});

describe('an object that is put where something may be replaced', () => {
  const replacing = (): ProbeWorld => ({
    ...world,
    tool: toolOf({ overwrite: true, prefix: 'over/' }),
    effects: async (key) => putsOf(key, '/notes/over/'),
  });
  for (const { name, run } of probeContract(replacing)) it(name, run);
});

describe('an object that is there already', () => {
  const named = { key: 'taken', content: 'x' };
  beforeAll(() => runTool(toolOf(), named, { key: 'first' }));

  it('is not replaced, and the step says so for good', async () => {
    const outcome = await runTool(toolOf(), named, { key: 'second' });
    expect(outcome).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'object_exists' } });
    expect(await verifyTool(toolOf(), named, { key: 'second' })).toMatchObject({ verdict: 'unknown' });
  });

  it('is replaced where that is wanted, and the first step is then unknown', async () => {
    const tool = toolOf({ overwrite: true });
    expect(await runTool(tool, named, { key: 'third' })).toMatchObject({ outcome: 'succeeded' });
    expect(await verifyTool(tool, named, { key: 'third' })).toMatchObject({ verdict: 'applied' });
    expect(await verifyTool(tool, named, { key: 'first' })).toMatchObject({ verdict: 'unknown' });
    expect(await runTool(tool, named, { key: 'third' })).toMatchObject({ outcome: 'succeeded' });
    expect(putsOf('third', '/notes/taken')).toBe(1);
  });

  it('is not replaced when it changes between the look and the put', async () => {
    const tool = toolOf({ overwrite: true });
    const held = await way.fault('held');
    const call = runTool(tool, named, { key: 'slow' });
    await held.reached;
    const there = store.objects.get('/notes/taken');
    store.objects.set('/notes/taken', { body: Buffer.from('other'), meta: {}, etag: '"other"' });
    expect(there).toBeDefined();
    await held.end();
    expect(await call).toMatchObject({ outcome: 'failed', retry: 'now', failure: { code: 'object_changed' } });
    expect(store.objects.get('/notes/taken')?.etag).toBe('"other"');
  });
});
