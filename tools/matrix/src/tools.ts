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
import type { LedgerAnswer, LedgerRequest } from './ledger/conduct.js';

/** How long after its deadline an effect of these tools may still land. They are honest about it. */
export const SETTLE_MS = 300;
/** As long as a test may hold a call; whoever means a shorter time says so in the plan. */
export const TIMEOUT_MS = 120_000;
export const KEY_TTL_MS = 600_000;

export const call = z.object({
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

/** Makes an entry in the ledger under the key of the call. */
export const write = async ({ name, conduct }: Call, context: ToolContext, more: Partial<LedgerRequest> = {}) => {
  const json = { name, conduct, key: context.key, ...more };
  const response = await context.fetch(ledgerUrl(), { method: 'POST', json, clientErrorsChangeNothing: true });
  return receipt.parse(await response.json());
};

/** Asks the ledger about the key of a call. */
export const ask = async (
  { blind }: Call,
  { key, fetch }: ToolQuestion,
): Promise<ToolVerdict<z.infer<typeof receipt>>> => {
  const response = await fetch(`${ledgerUrl()}/entry?key=${encodeURIComponent(key)}`);
  const { entry, asked } = (await response.json()) as LedgerAnswer;
  if (asked <= blind) return unknown(`question ${asked}: the ledger cannot tell yet`);
  if (entry === null) return absent(`no entry under ${key}`);
  return applied({ receipt: entry.receipt }, `entry ${entry.receipt} under ${key}`);
};

/** What tools that write into the ledger have in common. */
export const common = { version: '1', input: call, output: receipt, timeoutMs: TIMEOUT_MS } as const;

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

/** Breaks its promise: the ledger does not drop repeats of its key. */
const swindle = defineTool({
  ...common,
  name: 'swindle',
  replay: { policy: 'keyed', keyTtlMs: KEY_TTL_MS, settleMs: SETTLE_MS },
  run: (args, context) => write(args, context),
});

/** One tool for each replay policy, and one that lies about its own. */
export default [observe, draft, pay, file, post, swindle];
