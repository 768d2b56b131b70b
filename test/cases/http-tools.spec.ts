import type { Tool } from '@holdfast/sdk';
import type { Json } from '@holdfast/programs';
import { localTool } from '../../libs/http-tools/src/section.fixture.js';
import { says, Sink, type Handler } from '../../libs/http-tools/src/sink.fixture.js';
import { planOf, step } from '../support/plans.js';
import { Calling } from './support/calling.js';

const sink = new Sink();
beforeAll(() => sink.open());
afterAll(() => sink.close());
beforeEach(() => sink.clear());

const HOUR = 3_600_000;

describe('case 24: a success that says nothing', () => {
  const row = (): Promise<Tool> =>
    localTool(
      sink.origin,
      `method: POST
url: ORIGIN/sheets/{args.sheet}/rows
policy: unprotected
input: { type: object, required: [sheet, row], properties: { sheet: { type: string }, row: {} } }
body: { json: { row: { $from: args.row } } }`,
    );

  it.each<[string, Handler, Json]>([
    ['204 without a body', says(204), null],
    ['200 with null', says(200, null), null],
    ['201 with an empty list', says(201, []), []],
    ['200 with 0 bytes and no content type', (_, response) => void response.writeHead(200).end(), null],
  ])('is one: %s is one attempt, one row, and an empty result', async (_, answer, result) => {
    sink.answer = answer;
    const calling = new Calling(await row());
    const args = { sheet: 'row-1', row: [1] };
    calling.lane.submit(planOf(step('a', 'thing@1', { args, retry: { triesMax: 5, backoffMs: 5_000 } })));
    expect(await calling.finish()).toBe(1);
    calling.lane.tick(HOUR);
    expect(await calling.finish()).toBe(1);
    expect(sink.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /sheets/row-1/rows']);
    expect(calling.lane.run().end?.reason).toBe('succeeded');
    const succeeded = calling.lane.events().find(({ event }) => event.type === 'StepSucceeded')?.event;
    expect(succeeded?.data).toMatchObject({ stepId: 'a', attempt: 0, result });
  });
});

/** A provider that drops repeats of a key. */
class Provider {
  readonly paid = new Map<string, string>();

  readonly answer: Handler = ({ headers, body }, response) => {
    const key = String(headers['idempotency-key']);
    if (!this.paid.has(key)) this.paid.set(key, `pay-${this.paid.size + 1}`);
    says(200, { id: this.paid.get(key), body: JSON.parse(body) as Json })({ ...empty }, response);
  };
}
const empty = { method: '', url: '', headers: {}, body: '' };

const charge = (more = ''): Promise<Tool> =>
  localTool(
    sink.origin,
    `method: POST
url: ORIGIN/charges
policy: keyed
keyTtlMs: 86400000
input:
  type: object
  required: [order, amount]
  properties: { order: { type: string }, amount: { type: string }, auth: { type: string }, ts: { type: integer } }
body: { json: { $from: args } }
result: { id: { $from: body.id } }
${more}`,
  );
const keysSeen = (): ReadonlySet<unknown> => new Set(sink.seen.map(({ headers }) => headers['idempotency-key']));

describe('case 11: a token that is another one each time', () => {
  const KEY = 'key: { from: [/order, /amount] }';
  const payments: readonly Json[] = [
    { order: '1002', amount: '12.00', auth: 'tok-A', ts: 1_700_000_000_000 },
    { ts: 1_700_000_001_000, auth: 'tok-B', amount: '12.00', order: '1002' },
    { auth: 'tok-C', order: '1002', ts: 1_700_000_002_000, amount: '12.00' },
  ];
  const pay = async (tool: Tool, args: readonly Json[]): Promise<Calling> => {
    const calling = new Calling(tool);
    for (const [index, one] of args.entries()) {
      calling.lane.submit(planOf(step('a', 'thing@1', { args: one as Record<string, Json> })), {
        runId: `run-${index + 1}`,
      });
    }
    await calling.finish();
    return calling;
  };

  it('is no part of a key that is made of what is declared: all pay once, another amount is another payment', async () => {
    const provider = new Provider();
    sink.answer = provider.answer;
    const { lane } = await pay(await charge(KEY), payments);
    expect(sink.seen).toHaveLength(3);
    expect([keysSeen().size, provider.paid.size]).toEqual([1, 1]);
    for (const runId of ['run-1', 'run-2', 'run-3']) expect(lane.run(runId).end?.reason).toBe('succeeded');
    await pay(await charge(KEY), [{ order: '1002', amount: '12.01', auth: 'tok-A', ts: 1_700_000_000_000 }]);
    expect([keysSeen().size, provider.paid.size]).toEqual([2, 2]);
  });

  it('is no part of a key that belongs to the step either: each run has its own, and its attempts share it', async () => {
    const provider = new Provider();
    const answers: Handler[] = [provider.answer, says(503), (_, response) => void response.destroy()];
    sink.answer = (request, response) => {
      const next = answers.pop() ?? provider.answer;
      next(request, response);
    };
    const { lane } = await pay(await charge(), payments.slice(0, 1));
    expect(lane.run().end?.reason).toBe('succeeded');
    expect(sink.seen).toHaveLength(3);
    expect([keysSeen().size, provider.paid.size]).toEqual([1, 1]);
  });
});

describe('a message that is sent by an HTTP tool whose connection is reset once it is done', () => {
  it('is one request and one attempt: nothing below the runtime sends it again, and a person is asked', async () => {
    const tool = await localTool(
      sink.origin,
      'method: POST\nurl: ORIGIN/messages\npolicy: unprotected\nbody: { text: hello }',
    );
    const calling = new Calling(tool);
    // The first leaves a connection open, on which libraries like to try again by themselves.
    calling.lane.submit(planOf(step('a', 'thing@1'), step('b', 'thing@1', { after: ['a'] })));
    sink.answer = (_, response) => {
      if (sink.seen.length === 1) response.end();
      else response.destroy();
    };
    expect(await calling.finish()).toBe(2);
    calling.lane.tick(10_000);
    expect(await calling.finish()).toBe(2);
    expect(sink.seen).toHaveLength(2);
    expect(calling.lane.told).toContain('EscalationOpened b');
    expect(calling.lane.told).not.toContain('StepScheduled b/1');
  });
});
