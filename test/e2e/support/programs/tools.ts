import {
  absent,
  applied,
  defineTool,
  unknown,
  type ToolContext,
  type ToolQuestion,
  type ToolVerdict,
} from '@holdfast/sdk';
import { z } from 'zod';
import type { LedgerAnswer, LedgerRequest } from '../conduct.js';

/** How long after its deadline an effect of these tools may still land. They are honest about it. */
const SETTLE_MS = 300;
const TIMEOUT_MS = 20_000;
const KEY_TTL_MS = 600_000;

const call = z.object({
  name: z.string(),
  /** See `Conduct`. */
  conduct: z.array(z.string()).default(['ok']),
  /** How many questions about it are answered with "cannot tell" first. */
  blind: z.int().default(0),
  /** Only there to depend on. */
  after: z.json().optional(),
});
type Call = z.output<typeof call>;
const receipt = z.object({ receipt: z.number() });

const ledgerUrl = (): string => process.env['LEDGER_URL'] ?? '';

const write = async ({ name, conduct }: Call, context: ToolContext, more: Partial<LedgerRequest> = {}) => {
  const json = { name, conduct, key: context.key, ...more };
  const response = await context.fetch(ledgerUrl(), { method: 'POST', json, clientErrorsChangeNothing: true });
  return receipt.parse(await response.json());
};

const ask = async ({ blind }: Call, { key, fetch }: ToolQuestion): Promise<ToolVerdict<z.infer<typeof receipt>>> => {
  const response = await fetch(`${ledgerUrl()}/entry?key=${encodeURIComponent(key)}`);
  const { entry, asked } = (await response.json()) as LedgerAnswer;
  if (asked <= blind) return unknown(`question ${asked}: the ledger cannot tell yet`);
  if (entry === null) return absent(`no entry under ${key}`);
  return applied({ receipt: entry.receipt }, `entry ${entry.receipt} under ${key}`);
};

const common = { version: '1', input: call, output: receipt, timeoutMs: TIMEOUT_MS } as const;

const observe = defineTool({
  ...common,
  name: 'observe',
  replay: 'pure',
  run: (args, context) => write(args, context),
});
const draft = defineTool({
  ...common,
  name: 'draft',
  replay: 'repeatable',
  run: (args, context) => write(args, context),
});
const file = defineTool({
  ...common,
  name: 'file',
  replay: { policy: 'verifiable', settleMs: SETTLE_MS },
  run: (args, context) => write(args, context),
  verify: ask,
});
const post = defineTool({
  ...common,
  name: 'post',
  replay: { policy: 'unprotected', settleMs: SETTLE_MS },
  run: (args, context) => write(args, context),
});
const pay = defineTool({
  ...common,
  name: 'pay',
  replay: { policy: 'keyed', keyTtlMs: KEY_TTL_MS, settleMs: SETTLE_MS },
  run: (args, context) => write(args, context, { dropRepeatsMs: KEY_TTL_MS }),
});
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

const add = defineTool({
  name: 'add',
  version: '1',
  input: z.object({ numbers: z.array(z.number()) }),
  output: z.object({ sum: z.number() }),
  replay: 'pure',
  timeoutMs: TIMEOUT_MS,
  run: ({ numbers }) => ({ sum: numbers.reduce((sum, number) => sum + number, 0) }),
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
  timeoutMs: 1_500,
  run: async (args, context) => {
    const written = await write(args, context);
    if (context.attempt > 0) return written;
    for (;;) Math.hypot(3, 4);
  },
  verify: ask,
});

/** Of the executors' tools, one for each replay policy and a few that misbehave. */
export default [observe, draft, file, post, pay, book, slot, burn, add, crash, crashPure, crashFile, hang, block];
