import { setTimeout } from 'node:timers/promises';
import policyTools, { ask, call, common, KEY_TTL_MS, SETTLE_MS, TIMEOUT_MS, write } from '@holdfast/matrix/tools';
import { modelReplySchema, modelRequestSchema } from '@holdfast/programs';
import { defineTool, HttpError } from '@holdfast/sdk';
import { z } from 'zod';

const book = defineTool({
  ...common,
  name: 'book',
  replay: { policy: 'keyed', keyTtlMs: KEY_TTL_MS, settleMs: SETTLE_MS },
  run: (args, context) => write(args, context, { dropRepeatsMs: KEY_TTL_MS }),
  verify: ask,
});
/** Its calls may land long after they were given up, and it says so. */
const slot = defineTool({
  ...common,
  name: 'slot',
  replay: { policy: 'verifiable', settleMs: 10_000 },
  run: (args, context) => write(args, context),
  verify: ask,
});
/** Acts, then keeps the thread of its worker busy for a while, then returns. */
const burn = defineTool({
  ...common,
  name: 'burn',
  input: call.extend({ busyMs: z.int() }),
  replay: { policy: 'keyed', keyTtlMs: KEY_TTL_MS, settleMs: SETTLE_MS },
  run: async (args, context) => {
    const written = await write(args, context, { dropRepeatsMs: KEY_TTL_MS });
    for (const until = performance.now() + args.busyMs; performance.now() < until;) Math.hypot(3, 4);
    return written;
  },
});

/** What it has written, `release` takes back under the name `undo of …`. */
const release = defineTool({
  name: 'release',
  version: '1',
  input: z.object({ args: call, result: z.unknown(), key: z.string() }),
  output: common.output,
  timeoutMs: TIMEOUT_MS,
  replay: { policy: 'keyed', keyTtlMs: KEY_TTL_MS, settleMs: SETTLE_MS },
  run: ({ args }, context) => write({ ...args, name: `undo of ${args.name}` }, context, { dropRepeatsMs: KEY_TTL_MS }),
});
const reserve = defineTool({
  ...common,
  name: 'reserve',
  replay: { policy: 'verifiable', settleMs: SETTLE_MS },
  compensate: release,
  run: (args, context) => write(args, context),
  verify: ask,
});

const add = defineTool({
  name: 'add',
  version: '1',
  input: z.object({ numbers: z.array(z.number()) }),
  output: z.object({ sum: z.number() }),
  replay: 'pure',
  timeoutMs: TIMEOUT_MS,
  run: ({ numbers }) => ({ sum: numbers.reduce((sum, number) => sum + number, 0) }),
});

/** May use so much, and says what it has used and what it sees as left. */
const meter = defineTool({
  name: 'meter',
  version: '1',
  input: z.object({ cents: z.int() }),
  output: z.object({ left: z.record(z.string(), z.union([z.number(), z.string()])) }),
  replay: 'repeatable',
  timeoutMs: TIMEOUT_MS,
  cost: { tokensIn: 100, money: { amount: '0.50', currency: 'EUR' } },
  run: ({ cents }, context) => {
    context.spend({ tokensIn: 10, money: { amount: (cents / 100).toFixed(2), currency: 'EUR' } });
    return { left: { ...context.budget } };
  },
});

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('not reached: the signal to the own process comes first');
};
const nothing = { version: '1', input: z.object({}), output: z.null(), timeoutMs: TIMEOUT_MS } as const;
const crash = defineTool({ ...nothing, name: 'crash', replay: 'repeatable', run: die });
const crashPure = defineTool({ ...nothing, name: 'crash-pure', replay: 'pure', run: die });
const crashFile = defineTool({
  ...common,
  name: 'crash-file',
  replay: { policy: 'verifiable', settleMs: SETTLE_MS },
  run: (_, context): never => {
    context.guard();
    return die();
  },
  verify: ask,
});

/** Acts and then never returns, whatever its signal says. */
const hang = defineTool({
  ...common,
  name: 'hang',
  replay: { policy: 'verifiable', settleMs: SETTLE_MS },
  timeoutMs: 60_000,
  run: async (args, context) => {
    await write(args, context);
    return new Promise<never>(() => undefined);
  },
  verify: ask,
});

/** Acts and then blocks the event loop of its worker for good. */
const block = defineTool({
  ...common,
  name: 'block',
  replay: { policy: 'verifiable', settleMs: SETTLE_MS },
  run: async (args, context) => {
    const written = await write(args, context);
    if (context.attempt > 0) return written;
    for (;;) Math.hypot(3, 4);
  },
  verify: ask,
});

/** Looks into the ledger again and again until something is there, which never happens. */
const poll = defineTool({
  ...common,
  name: 'poll',
  replay: 'repeatable',
  timeoutMs: 60_000,
  run: async (args, context) => {
    for (;;) {
      const looked = await write(args, context).catch((error: unknown) => error);
      if (!(looked instanceof HttpError)) throw looked;
      await setTimeout(100, undefined, { signal: context.signal });
    }
  },
});

/** Heeds no signal: what it has begun it does, and says so. */
const deaf = defineTool({
  ...common,
  name: 'deaf',
  replay: { policy: 'verifiable', settleMs: SETTLE_MS },
  run: async ({ name, conduct }, context) => {
    context.guard();
    const body = JSON.stringify({ name, conduct, key: context.key });
    const response = await fetch(process.env['LEDGER_URL'] ?? '', { method: 'POST', body });
    return (await response.json()) as { readonly receipt: number };
  },
  verify: ask,
});

/** Makes an entry, and returns what it is told to return besides: a value, or a text so many times, cut somewhere. */
const say = defineTool({
  ...common,
  name: 'say',
  input: call.extend({
    value: z.json().optional(),
    text: z.string().optional(),
    times: z.int().default(1),
    cutAt: z.int().optional(),
  }),
  output: z.object({ receipt: z.number(), value: z.json() }),
  replay: { policy: 'unprotected', settleMs: SETTLE_MS },
  run: async (args, context) => {
    const { receipt } = await write(args, context);
    return {
      receipt,
      value: args.text === undefined ? (args.value ?? null) : args.text.repeat(args.times).slice(0, args.cutAt),
    };
  },
});

/** Makes an entry, then fails with a text so many times. */
const complain = defineTool({
  ...common,
  name: 'complain',
  input: call.extend({ text: z.string(), times: z.int() }),
  replay: 'repeatable',
  run: async (args, context) => {
    await write(args, context);
    throw new Error(args.text.repeat(args.times));
  },
});

/** Makes an entry and returns what is no JSON; what it has returned it changes afterwards. */
const odd = defineTool({
  ...common,
  name: 'odd',
  input: call.extend({ kept: z.boolean() }),
  output: z.unknown(),
  replay: { policy: 'unprotected', settleMs: SETTLE_MS },
  run: async ({ kept, ...args }, context) => {
    await write(args, context);
    const returned: Record<string, unknown> = { d: new Date(0), u: undefined, z: -0 };
    if (!kept) Object.assign(returned, { n: Number.NaN, m: new Map([[1, 2]]), b: 2n ** 60n });
    setImmediate(() => (returned['x'] = 1));
    return returned;
  },
});

/** Of the executors' tools, one for each replay policy and a few that misbehave. */
/** A model that adds numbers by the tool that is offered it, and answers with the sum. It knows the transcript and nothing else. */
const clerk = defineTool({
  name: 'clerk',
  version: '1',
  input: modelRequestSchema,
  output: modelReplySchema,
  replay: 'repeatable',
  timeoutMs: TIMEOUT_MS,
  run: ({ messages }) => {
    const usage = { tokensIn: messages.length, tokensOut: 1 };
    const result = messages.findLast(({ role }) => role === 'tool');
    if (result !== undefined) return { text: result.text, calls: [], finish: 'answer' as const, usage };
    const numbers = messages[0]?.text.match(/\d+/g)?.map(Number) ?? [];
    const call = { id: 'call', name: 'add', arguments: JSON.stringify({ numbers }) };
    return { text: '', calls: [call], finish: 'calls' as const, usage };
  },
});

export default [
  ...policyTools,
  clerk,
  book,
  slot,
  burn,
  reserve,
  release,
  add,
  meter,
  crash,
  crashPure,
  crashFile,
  hang,
  block,
  poll,
  deaf,
  say,
  complain,
  odd,
];
