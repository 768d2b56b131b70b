import { attemptId } from '@holdfast/events';
import {
  modelReplySchema,
  modelRequestSchema,
  type Json,
  type ModelReply,
  type ModelRequest,
} from '@holdfast/programs';
import { defineTool, ToolFailure, type Tool } from '@holdfast/sdk';
import type { ToolsParts } from './tools.js';

/** What a model of the simulation does: the tools it calls in each turn, by name; then it answers. */
export type Turns = readonly (readonly string[])[];

/** An agent's instructions hold its turns. What follows from a transcript is the same each time. */
const replyTo = ({ instructions, messages }: ModelRequest): ModelReply => {
  const turns = JSON.parse(instructions) as Turns;
  const wanted = turns[messages.filter(({ role }) => role === 'assistant').length] ?? [];
  return {
    text: wanted.length === 0 ? 'done' : '',
    // All calls of a turn have the same id, as some endpoints do it.
    calls: wanted.map((name) => ({ id: 'call', name, arguments: '{}' })),
    finish: wanted.length === 0 ? 'answer' : 'calls',
    usage: { tokensIn: messages.length, tokensOut: 1 },
  };
};

const nobody = (): never => {
  throw new Error('this model was not loaded by a process');
};

const DEFINED = defineTool({
  name: 'model',
  version: '1',
  input: modelRequestSchema,
  output: modelReplySchema,
  replay: 'repeatable',
  timeoutMs: 1_000,
  run: nobody,
}) as unknown as Tool;

/** The model as one process has loaded it. It may be slow, and refuse. */
export const simModel = ({ dice, process, trouble, slowCalls, timeoutMs, begins, thinks }: ToolsParts): Tool => {
  const entry = { ...DEFINED.catalogueEntry(), timeoutMs };
  return {
    ...DEFINED,
    timeoutMs,
    catalogueEntry: () => entry,
    run: async (args, context) => {
      const { runId, stepId, attempt, signal } = context;
      const id = attemptId({ runId, stepId, attempt });
      begins(id, 'repeatable', 1);
      thinks(id, args as ModelRequest);
      const label = `model ${runId}/${stepId}`;
      const isSlow = dice.chance(`${label} slow`, slowCalls);
      const ms = isSlow ? dice.between(`${label} thinks`, 100, timeoutMs + 300) : 5;
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('told to stop')), { once: true });
        process.after(ms, 'model', resolve);
      });
      if (dice.chance(`${label} refuses`, trouble / 4)) {
        throw new ToolFailure('too busy', { code: 'rate_limited', effect: 'none', retry: 'now' });
      }
      return replyTo(args as ModelRequest) as unknown as Json;
    },
  };
};
