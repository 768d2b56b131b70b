import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineTool, runTool, type ToolRequest } from '@holdfast/sdk';
import type { Json } from '@holdfast/programs';
import { z } from 'zod';
import { SeveralLanes } from '../support/several-lanes.js';
import { planOf, runOf } from '../support/plans.js';
import { answer, endOf, leading, tools, turns } from './support/priced.js';

type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

/** A service that answers as it is told, and counts how often it was asked. */
class Service {
  replies: (now: number) => Reply = () => ({ status: 200 });
  asked: number[] = [];
  now = 0;
  readonly #server: Server = createServer((_, response) => {
    this.asked.push(this.now);
    const { status, headers = {}, body = '{}' } = this.replies(this.now);
    response.writeHead(status, headers).end(body);
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const service = new Service();
beforeAll(() => service.open());
afterAll(() => service.close());
beforeEach(() => {
  service.asked = [];
});

const answered = z.object({ text: z.string().min(1), call: z.string() });

const model = (request: ToolRequest = {}) =>
  defineTool({
    name: 'model',
    version: '1',
    input: z.object({}),
    output: answered,
    replay: 'repeatable',
    timeoutMs: 1_000,
    run: async (_, context) =>
      (await (await context.fetch(service.origin, request)).json()) as z.input<typeof answered>,
  });

type Lane = ReturnType<typeof leading>;

/** Makes the calls that are ordered, at the time of the lane, and says what came of them. */
const work = async (lane: Lane, made: number, tool = model()): Promise<number> => {
  for (const id of lane.commands.slice(made)) {
    const [, step = '', attempt = '0'] = id.split('/');
    service.now = lane.clock.now;
    const { now } = lane.clock;
    const { outcome, progress: _, ...said } = await runTool(tool, {}, { now: () => now, deadline: now + 1_000 });
    const who = { step, attempt: Number(attempt) };
    lane.claims(id).say(outcome === 'succeeded' ? 'AttemptSucceeded' : 'AttemptFailed', who, said as object);
  }
  return lane.commands.length;
};

const HOUR = 3_600_000;
const submit = (triesMax: number) =>
  leading().submit(
    planOf(
      ...turns(['model', {}]).steps.map((node) => ({ ...node, retry: { triesMax, backoffMs: 1_000, factor: 1 } })),
    ),
    { deadlineMs: 2 * HOUR },
  );

const tries = async (reply: Reply, tool = model()): Promise<readonly [number, string | null]> => {
  service.replies = () => reply;
  const lane = submit(5);
  let made = 0;
  for (let round = 0; round < 8; round += 1) {
    made = await work(lane, made, tool);
    lane.tick(1_000);
  }
  return [service.asked.length, endOf(lane)];
};

describe('case 54: a permanent error that is retried all night', () => {
  it.each([400, 401, 402, 403, 404, 413, 422])('asks once after %i, and ends with the status', async (status) => {
    const [asked, end] = await tries({ status, body: 'no credit' });
    expect([asked, end?.startsWith('failed: step t1 failed: '), end?.endsWith(`no credit (http_${status})`)]).toEqual([
      1,
      true,
      true,
    ]);
  });

  it.each([408, 425, 429, 500, 503])('asks again after %i, as often as the plan says', async (status) => {
    expect((await tries({ status }))[0]).toBe(5);
  });

  it('asks again after 409 where the tool says so, and for any other status', async () => {
    expect((await tries({ status: 409 }))[0]).toBe(1);
    service.asked = [];
    expect((await tries({ status: 409 }, model({ retryOn: { 409: 'later' } })))[0]).toBe(5);
    service.asked = [];
    expect((await tries({ status: 503 }, model({ retryOn: { 503: 'never' } })))[0]).toBe(1);
  });
});

describe('case 55: a long rate limit that kills a healthy run', () => {
  const good = { status: 200, body: JSON.stringify({ text: 'done', call: 'x' }) };

  it('waits as long as it is told, without a slot, and goes on', async () => {
    const lane = submit(11);
    const began = lane.clock.now;
    const later = (at: number): Record<string, string> => {
      if (at < began + 300_000) return { 'retry-after': '30' };
      return at < began + 600_000 ? { 'retry-after': new Date(at + 45_000).toUTCString() } : {};
    };
    service.replies = (now) => (now < began + 720_000 ? { status: 429, headers: later(now) } : good);
    let made = 0;
    for (let second = 0; second < 800 && lane.run().status !== 'ended'; second += 1) {
      made = await work(lane, made);
      if (lane.run().status !== 'ended') expect(lane.machine.outstanding.get('default')).toBeUndefined();
      lane.tick(1_000);
      // Where nobody says when to come back, the pause of the plan is what there is, and its tries.
      if (lane.clock.now === began + 601_000)
        service.replies = (now) => (now < began + 606_000 ? { status: 429 } : good);
    }
    expect(endOf(lane)).toBe('succeeded: ');
    const pauses = service.asked.map((at, index) => at - (service.asked[index - 1] ?? at));
    const hinted = pauses.filter((_, index) => (service.asked[index - 1] ?? 0) < began + 300_000).slice(1);
    expect(hinted.every((ms) => ms >= 30_000)).toBe(true);
    expect(service.asked.length).toBeLessThan(40);
  });

  it('is put to a person at once where the hint is later than the run may last', async () => {
    service.replies = () => ({ status: 429, headers: { 'retry-after': '86400' } });
    const lane = submit(11);
    await work(lane, 0);
    const [open] = Object.values(lane.live().escalations);
    expect(open?.question).toContain('was told to come back at');
    expect(open?.question).toContain('its run must be over by');
    service.replies = () => good;
    await work(answer(lane, 'retry'), 1);
    expect(endOf(lane)).toBe('succeeded: ');
  });
});

describe('case 56: a failure that is reported as done', () => {
  it.each([
    ['out of credit', { status: 402 }, 'http_402'],
    ['an empty message', { status: 200, body: '{"text":"","call":"x"}' }, 'invalid_result'],
    ['words and no call', { status: 200, body: '{"text":"please compact"}' }, 'invalid_result'],
    ['something else', { status: 200, body: '[1,2]' }, 'invalid_result'],
  ])('is failed with its reason, here and where it was asked for: %s', async (_, reply, code) => {
    const [, end] = await tries(reply);
    expect(end).toMatch(/^failed: step t1 failed: /);
    expect(end).toContain(`(${code})`);
    const child = turns(['model', {}]) as unknown as Json;
    const lanes = new SeveralLanes(2, {}, tools).submit(planOf(runOf('c', child)), { runId: 'p' }).calm();
    const failure = { code, message: 'as it is' };
    lanes.say('p~c', 'AttemptFailed', { failure, retry: 'never' }).calm();
    const told = lanes
      .at('p')
      .events()
      .find(({ event }) => event.type === 'RunEnded')?.event.data;
    expect(told).toMatchObject({ reason: 'failed', detail: expect.stringContaining(`(${code})`) });
  });
});
