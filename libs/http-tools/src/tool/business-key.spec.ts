import { runTool } from '@holdfast/sdk';
import { localTool } from '../section.fixture.js';
import { Sink } from '../sink.fixture.js';

const sink = new Sink();
beforeAll(() => sink.open());
afterAll(() => sink.close());

const keyed = (more: string) =>
  localTool(
    sink.origin,
    `method: POST
url: ORIGIN/charges
policy: keyed
keyTtlMs: 86400000
body: { json: { $from: args } }
input: { type: object, required: [order, amount], properties: { order: {}, amount: {}, token: {} } }
${more}`,
  );
const keyOf = async (tool: Awaited<ReturnType<typeof keyed>>, args: object, key = 'run/step'): Promise<unknown> => {
  sink.clear();
  await runTool(tool, args, { key });
  return sink.seen[0]?.headers['idempotency-key'];
};

describe('the key of a call', () => {
  it('belongs to the step, unless the tool says what it is made of', async () => {
    const tool = await keyed('');
    expect(await keyOf(tool, { order: 1, amount: 2 })).toBe('run/step');
    expect(await keyOf(tool, { order: 1, amount: 3 })).toBe('run/step');
  });

  it('is made of the arguments that are named, whatever stands beside them and in whatever order', async () => {
    const tool = await keyed('key: { from: [/order, /amount/minor] }');
    const key = await keyOf(tool, { order: { a: 1, b: 2 }, amount: { minor: 500 }, token: 'x' }, 'run-1/a');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await keyOf(tool, { amount: { at: 7, minor: 500 }, order: { b: 2, a: 1 } }, 'run-2/b')).toBe(key);
    expect(await keyOf(tool, { order: { a: 1, b: 2 }, amount: { minor: 501 } })).not.toBe(key);
    expect(await keyOf(tool, { order: { a: 1, b: '2' }, amount: { minor: 500 } })).not.toBe(key);
  });

  it('that cannot be made keeps the call from being sent', async () => {
    const tool = await keyed('key: { from: [/amount/minor] }');
    sink.clear();
    expect(await runTool(tool, { order: 1, amount: 5 })).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: { message: 'nothing was sent: /amount/minor is not among the arguments, and the key is made of it' },
    });
    expect(sink.seen).toEqual([]);
  });

  it('may be sent in another header, or where the tool puts it', async () => {
    const named = await keyed('keyHeader: X-Request-Key');
    await keyOf(named, { order: 1, amount: 2 });
    expect(sink.seen[0]?.headers).toMatchObject({ 'x-request-key': 'run/step' });
    const put = await keyed("keyHeader: null\nquery: { once: '{key}' }");
    await keyOf(put, { order: 1, amount: 2 });
    expect(sink.seen[0]?.url).toBe('/charges?once=run%2Fstep');
    expect(sink.seen[0]?.headers).not.toHaveProperty('idempotency-key');
  });
});
