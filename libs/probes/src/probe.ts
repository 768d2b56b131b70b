import {
  defineTool,
  describeError,
  ToolFailure,
  unknown,
  type Tool,
  type ToolContext,
  type ToolQuestion,
  type ToolVerdict,
} from '@holdfast/sdk';
import type { z } from 'zod';
import { keyMarker } from './key-marker.js';

/** What every ready-made tool lets its user say. */
export type ProbeSettings = {
  readonly name: string;
  readonly version: string;
  readonly description?: string | undefined;
  readonly queue?: string | undefined;
  /** How long one call may take, ms. Each tool has a default. */
  readonly timeoutMs?: number | undefined;
  /** The tool that undoes what this one has done. */
  readonly compensate?: Tool | undefined;
  /** How long after its deadline a call may still take effect, ms. Each tool has a default, which its page argues. */
  readonly settleMs?: number | undefined;
};

/** The key of the step, and the marker that is made of it. */
export type Mark = { readonly key: string; readonly marker: string };

/** What a ready-made tool does and how it is asked. */
export type Probe<Input extends z.ZodType<object>, Output extends z.ZodType> = {
  readonly input: Input;
  readonly output: Output;
  readonly timeoutMs: number;
  readonly settleMs: number;
  readonly spawns?: boolean;
  /** Where the other side drops repeats of a key, and for how long. */
  readonly keyTtlMs?: number | undefined;
  act(args: z.output<Input>, context: ToolContext, mark: Mark): Promise<z.input<Output>>;
  /** Null where nobody can be asked. May throw: what cannot be read is `unknown`. */
  readonly look: Look<z.output<Input>, z.input<Output>> | null;
};

export type Look<Args, Result> = (args: Args, question: ToolQuestion, mark: Mark) => Promise<ToolVerdict<Result>>;

/**
 * The tool of a probe. An attempt after the first looks before it acts: what an earlier one has done after all is returned
 * and not done again, and where nobody can tell, nothing is done.
 */
export const defineProbe = <Input extends z.ZodType<object>, Output extends z.ZodType>(
  settings: ProbeSettings,
  probe: Probe<Input, Output>,
): Tool<z.output<Input>, z.input<Output>> => {
  const { name, version, description, queue, compensate } = settings;
  const { input, output, look, keyTtlMs } = probe;
  const settleMs = settings.settleMs ?? probe.settleMs;
  const common = {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    ...(queue === undefined ? {} : { queue }),
    ...(compensate === undefined ? {} : { compensate }),
    ...(probe.spawns === undefined ? {} : { spawns: probe.spawns }),
    input,
    output,
    timeoutMs: settings.timeoutMs ?? probe.timeoutMs,
    run: (args: z.output<Input>, context: ToolContext) => runProbe(probe, args, context),
  };
  if (look === null) return defineTool({ ...common, replay: keyedFor(keyTtlMs, settleMs) });
  const verify = (args: z.output<Input>, question: ToolQuestion) => look(args, question, markOf(question.key));
  return keyTtlMs === undefined
    ? defineTool({ ...common, replay: { policy: 'verifiable', settleMs }, verify })
    : defineTool({ ...common, replay: keyedFor(keyTtlMs, settleMs), verify });
};

// Without a time `defineTool` says what is missing.
const keyedFor = (keyTtlMs: number | undefined, settleMs: number) =>
  ({ policy: 'keyed', keyTtlMs: keyTtlMs as number, settleMs }) as const;

const markOf = (key: string): Mark => ({ key, marker: keyMarker(key) });

const runProbe = async <Input extends z.ZodType<object>, Output extends z.ZodType>(
  probe: Probe<Input, Output>,
  args: z.output<Input>,
  context: ToolContext,
): Promise<z.input<Output>> => {
  const mark = markOf(context.key);
  if (context.attempt > 0 && probe.look !== null) {
    const verdict = await lookSafely(() => probe.look?.(args, context, mark));
    if (verdict.verdict === 'applied') return verdict.result;
    if (verdict.verdict === 'unknown') throw notLooked(verdict.evidence.summary);
  }
  return probe.act(args, context, mark);
};

const lookSafely = async <Result>(
  look: () => Promise<ToolVerdict<Result>> | undefined,
): Promise<ToolVerdict<Result>> => {
  try {
    return (await look()) ?? unknown('nobody can be asked');
  } catch (error) {
    const { code, message } = describeError(error);
    return unknown(`${code}: ${message}`);
  }
};

const notLooked = (why: string): ToolFailure =>
  new ToolFailure(`an earlier attempt may have acted, and it cannot be told now whether it has: ${why}`, {
    code: 'not_looked',
    retry: 'later',
    effect: 'none',
  });
