import { attemptId, DEFAULTS, hasEffect, type ReplayPolicy } from '@holdfast/events';
import {
  absent,
  applied,
  defineTool,
  ToolFailure,
  unknown,
  type Tool,
  type ToolContext,
  type ToolSet,
} from '@holdfast/sdk';
import { z } from 'zod';
import type { Dice } from '../engine/dice.js';
import type { SimProcess } from '../engine/process.js';
import type { ModelRequest } from '@holdfast/programs';
import { simModel } from './models.js';
import { SETTLE_MS, type Office } from './office.js';

/** One tool of each policy, named after it; `keyed` comes with and without `verify`. */
export const TOOLS = {
  pure: 'pure',
  repeatable: 'repeatable',
  keyed: 'keyed',
  'keyed-blind': 'keyed',
  verifiable: 'verifiable',
  unprotected: 'unprotected',
} as const satisfies Readonly<Record<string, ReplayPolicy>>;
export type ToolName = keyof typeof TOOLS;
export const toolNames = Object.keys(TOOLS) as [ToolName, ...ToolName[]];

export type ToolsParts = {
  readonly office: Office;
  readonly dice: Dice;
  readonly process: SimProcess;
  readonly trouble: number;
  readonly slowCalls: number;
  readonly keyTtlMs: number;
  readonly timeoutMs: number;
  /** What it does not have. */
  readonly lacks: readonly ToolName[];
  /** Called when a call begins, with how many are under way. */
  readonly begins: (attemptId: string, policy: ReplayPolicy, running: number) => void;
  /** Called when a model is asked, with all that it is shown. */
  readonly thinks: (attemptId: string, request: ModelRequest) => void;
};

/** The tools as one process has loaded them. */
export const simTools = (parts: ToolsParts): ToolSet => {
  const known = toolNames.filter((name) => !parts.lacks.includes(name)).map((name) => loaded(name, parts));
  const tools = [...known, simModel(parts)];
  const catalogue = tools.map((tool) => tool.catalogueEntry());
  return { get: (ref) => tools.find((tool) => tool.ref === ref), all: tools, catalogue: () => catalogue };
};

const loaded = (name: ToolName, parts: ToolsParts): Tool => {
  const tool = withTimes(DEFINED[name], parts);
  const caller = new Caller(tool.policy, parts);
  return {
    ...tool,
    run: (_, context) => caller.run(context),
    verify: tool.verify === null ? null : (_, { key, signal }) => caller.verify(key, signal),
  };
};

const nobody = (): never => {
  throw new Error('this tool was not loaded by a process');
};

const define = (name: ToolName): Tool => {
  const policy = TOOLS[name];
  const asked = name === 'keyed' || name === 'verifiable' ? { verify: nobody } : {};
  const keyed = policy === 'keyed' ? { keyTtlMs: 10 * DEFAULTS.startByMs } : {};
  const replay = hasEffect(policy) ? { policy, settleMs: SETTLE_MS, ...keyed } : policy;
  const io = { input: z.object({}), output: z.object({ receipt: z.number() }), run: nobody };
  const definition = { name, version: '1', timeoutMs: 1_000, replay, ...io, ...asked };
  return defineTool(definition as Parameters<typeof defineTool>[0]) as unknown as Tool;
};

/** `defineTool` goes by the usual `startBy`; the shorter one of the simulation needs shorter memories to be tested. */
const withTimes = (tool: Tool, { timeoutMs, keyTtlMs }: ToolsParts): Tool => {
  const keyed = tool.keyTtlMs === null ? {} : { keyTtlMs };
  const entry = { ...tool.catalogueEntry(), timeoutMs, ...keyed };
  return { ...tool, timeoutMs, ...keyed, catalogueEntry: () => entry };
};

const DEFINED = Object.fromEntries(toolNames.map((name) => [name, define(name)])) as Readonly<Record<ToolName, Tool>>;

const RUNNING = new WeakMap<SimProcess, number>();

class Caller {
  constructor(
    private readonly policy: ReplayPolicy,
    private readonly parts: ToolsParts,
  ) {}

  async run(context: ToolContext): Promise<{ receipt: number }> {
    const { runId, stepId, attempt } = context;
    this.count(1);
    this.parts.begins(attemptId({ runId, stepId, attempt }), this.policy, this.running);
    try {
      return await this.act(context);
    } finally {
      this.count(-1);
    }
  }

  private async act(context: ToolContext): Promise<{ receipt: number }> {
    const { dice, office, process, trouble, slowCalls, timeoutMs } = this.parts;
    const { key, runId, stepId, attempt, signal } = context;
    const label = `tool ${runId}/${stepId}`;
    const isSlow = dice.chance(`${label} slow`, slowCalls);
    // A `pure` call has nothing to show for it when it is stopped at its deadline.
    const longest = this.policy === 'pure' ? timeoutMs - 300 : timeoutMs + 300;
    await this.sleep(isSlow ? dice.between(`${label} thinks`, 100, longest) : 2, signal);
    if (dice.chance(`${label} refuses`, trouble / 4)) {
      throw new ToolFailure('not today', { code: 'not_today', effect: 'none', retry: 'now' });
    }
    if (this.policy === 'pure') return { receipt: 0 };
    context.guard();
    return office.send({ key, policy: this.policy, runId, stepId, attempt, process }, context);
  }

  async verify(key: string, signal: AbortSignal) {
    const { dice, office, trouble } = this.parts;
    await this.sleep(dice.between(`verify ${key} goes`, 1, 60), signal);
    const [entry] = office.entries.get(key) ?? [];
    const isSlow = dice.chance(`verify ${key} slow`, trouble);
    await this.sleep(dice.between(`verify ${key} comes`, 1, isSlow ? 1_800 : 60), signal);
    if (dice.chance(`verify ${key} fails`, trouble / 2)) throw new Error('the office does not answer');
    if (dice.chance(`verify ${key} unsure`, trouble / 2)) return unknown('the office cannot tell now');
    return entry === undefined ? absent('no entry') : applied({ receipt: entry.receipt }, `entry ${entry.receipt}`);
  }

  /** How many calls this process has under way. */
  private get running(): number {
    return RUNNING.get(this.parts.process) ?? 0;
  }

  private count(change: 1 | -1): void {
    RUNNING.set(this.parts.process, this.running + change);
  }

  private sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('told to stop')), { once: true });
      this.parts.process.after(ms, 'tool', resolve);
    });
  }
}
