import { absent, applied, defineTool } from '@holdfast/sdk';
import { z } from 'zod';

const named = z.object({ name: z.string() });

const prepare = defineTool({
  name: 'prepare',
  version: '1',
  input: named,
  output: named,
  replay: 'pure',
  timeoutMs: 10_000,
  run: ({ name }) => ({ name }),
});

const work = defineTool({
  name: 'work',
  version: '1',
  input: named,
  output: named,
  replay: 'repeatable',
  timeoutMs: 10_000,
  run: ({ name }) => ({ name }),
});

const receipt = z.object({ receipt: z.number() });

const effect = defineTool({
  name: 'effect',
  version: '1',
  input: named,
  output: receipt,
  replay: { policy: 'verifiable', settleMs: 1_000 },
  timeoutMs: 10_000,
  run: async ({ name }, { key, attempt, fetch }) => {
    const response = await fetch(effectsUrl(), { method: 'POST', json: { name, key, attempt } });
    return receipt.parse(await response.json());
  },
  verify: async (_, { key, fetch }) => {
    const response = await fetch(`${effectsUrl()}/effect?key=${encodeURIComponent(key)}`);
    const { found } = (await response.json()) as { found: unknown };
    return found === null ? absent('not in the ledger') : applied({ receipt: 0 }, 'in the ledger');
  },
});

const effectsUrl = (): string => {
  const url = process.env['EFFECTS_URL'];
  if (url === undefined) throw new Error('EFFECTS_URL is not set');
  return url;
};

/** The tools of all measurements; name this module in `HOLDFAST_TOOLS`. */
export default [prepare, work, effect];
