import { applied, defineTool, secret } from '@holdfast/sdk';
import { z } from 'zod';

/** One that the tool asks for by name, and one that it reads by itself and that its executor is told of. */
const own = secret('CANARY_TOOL');
const told = process.env['CANARY_TOLD'] ?? '';
const both = `${own} and ${told}`;
const common = { version: '1', input: z.object({}), output: z.json(), timeoutMs: 20_000 } as const;

const header = (): string => `Basic ${Buffer.from(`user:${own}`).toString('base64')}`;

const fails = defineTool({
  ...common,
  name: 'leak-in-failure',
  replay: 'repeatable',
  run: () => {
    throw Object.assign(new Error(`401 for ${both}, https://host/?key=${encodeURIComponent(told)}, ${header()}`), {
      code: `denied_${own}`,
    });
  },
});

const returns = defineTool({
  ...common,
  name: 'leak-in-result',
  replay: 'pure',
  run: async (_, context) => {
    context.progress({ at: both });
    context.logger.info({ header: header(), nested: { both } }, `logged ${both}`);
    const { log, error } = console;
    log('printed', both);
    error(new Error(`printed ${both}`));
    process.stderr.write(Buffer.from(`${both}\n`));
    void Promise.reject(new Error(`forgotten ${both}`));
    // Long enough for what it has said of itself to be told.
    await new Promise((resolve) => setTimeout(resolve, 600));
    return { [own]: [told], header: header() };
  },
});

/** Leaves its effect in doubt, and says too much when it is asked. */
const doubts = defineTool({
  ...common,
  name: 'leak-in-evidence',
  replay: { policy: 'verifiable', settleMs: 100 },
  run: (_, context) => {
    context.guard();
    throw new Error(`no answer to ${both}`);
  },
  verify: () => applied({ found: both }, { summary: `found by ${both}`, details: { header: header(), both } }),
});

/** Ends its worker once, by what nobody catches. */
const crashes = defineTool({
  ...common,
  name: 'leak-in-crash',
  replay: 'repeatable',
  run: async (_, context) => {
    if (context.attempt > 0) return null;
    setTimeout(() => {
      throw new Error(`nobody caught ${both}`);
    });
    return new Promise<never>(() => undefined);
  },
});

/** Tools that tell their secrets to everybody. */
export default [fails, returns, doubts, crashes];
