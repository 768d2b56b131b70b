import type { Json } from '@holdfast/programs';
import { askTool, silentLogger, type ToolSet } from '@holdfast/sdk';
import { z } from 'zod';
import { keysOf, type TrackedStep } from './tracked-run.js';

/** How often an effect is known to have been made. */
export type Count = {
  /** Null: nobody can tell. */
  readonly times: number | null;
  /** Whether `times` could be more than 1: who can only say that it was applied cannot count. */
  readonly counted: boolean;
  /** What the step returns, where that is known. */
  readonly result?: Json;
};

/** Tells what became of effects, by the key of their step. */
export type Witness = {
  readonly describe: string;
  /** By key; a step may have several. */
  count(steps: readonly TrackedStep[]): Promise<ReadonlyMap<string, Count>>;
  /** Of all effects that it knows of, whoever made them, one for each; none where it can only be asked about a step. */
  keys(): Promise<readonly string[]>;
};

const entriesSchema = z.array(z.looseObject({ key: z.string(), result: z.json().optional() }));
const HTTP_MS = 20_000;
const QUESTION_MS = 10_000;
const QUESTIONS_MAX = 16;

/** A ledger of effects cannot be read, or what it says is no list of entries. */
export class LedgerUnreadable extends Error {
  override readonly name = 'LedgerUnreadable';
}

/** Counts entries at a URL: `GET` answers `[{ "key": "…", "result": … }]`, one entry for each effect that was made. */
export const ledgerWitness = (url: string): Witness => ({
  describe: `the ledger at ${url}`,
  count: async (steps) => {
    const found = new Map<string, Count>(steps.flatMap(keysOf).map((key) => [key, { times: 0, counted: true }]));
    for (const { key, result } of await entriesAt(url)) {
      const known = found.get(key);
      if (known === undefined) continue;
      const first = known.result ?? result;
      found.set(key, {
        times: (known.times ?? 0) + 1,
        counted: true,
        ...(first === undefined ? {} : { result: first }),
      });
    }
    return found;
  },
  keys: async () => (await entriesAt(url)).map(({ key }) => key),
});

const entriesAt = async (url: string): Promise<z.output<typeof entriesSchema>> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HTTP_MS) });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    return entriesSchema.parse(await response.json());
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is not a list of entries with a key' : (error as Error).message;
    throw new LedgerUnreadable(`the ledger at ${url} cannot be read: ${why}`, { cause: error });
  }
};

/**
 * Asks the tools themselves. `applied` counts once, or as often as the evidence says (`details: { "times": 2 }`);
 * without that a repeat cannot be seen.
 */
export const toolsWitness = (tools: ToolSet): Witness => ({
  describe: "the tools' own verify",
  count: async (steps) => {
    const found = new Map<string, Count>();
    const left = steps
      .filter(({ tool, args }) => args !== null && tools.get(tool)?.verify != null)
      .flatMap((step) => keysOf(step).map((key) => ({ ...step, key })));
    const ask = async (): Promise<void> => {
      for (let step = left.pop(); step !== undefined; step = left.pop())
        found.set(step.key, await askAbout(tools, step));
    };
    await Promise.all(Array.from({ length: QUESTIONS_MAX }, ask));
    return found;
  },
  keys: () => Promise.resolve([]),
});

const askAbout = async (tools: ToolSet, { tool, args, key }: TrackedStep): Promise<Count> => {
  const known = tools.get(tool);
  if (known === undefined) return { times: null, counted: false };
  const frame = { key, signal: AbortSignal.timeout(QUESTION_MS), logger: silentLogger, now: () => Date.now() };
  const said = await askTool(known, args, { ...frame, deadline: Date.now() + QUESTION_MS });
  if (said.verdict !== 'applied')
    return said.verdict === 'absent' ? { times: 0, counted: true } : { times: null, counted: false };
  const times = timesOf(said.evidence.details);
  return { times: times ?? 1, counted: times !== null, result: said.result };
};

const timesOf = (details: unknown): number | null => {
  const times = (details as { readonly times?: unknown } | null | undefined)?.times;
  return typeof times === 'number' && Number.isInteger(times) ? times : null;
};
