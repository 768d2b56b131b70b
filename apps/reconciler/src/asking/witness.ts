import { LIMITS } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import {
  boundEvidence,
  describeError,
  type Logger,
  type Tool,
  type ToolFetch,
  type ToolSet,
  type ToolVerdict,
} from '@holdfast/sdk';
import { unknown, type Answer } from '../doubt/doubt.verdict.js';

/** One question to a tool about an earlier call of its own. */
export type WitnessQuestion = {
  /** `tool@version` */
  readonly tool: string;
  readonly args: Json;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
};

/** Asks a tool what became of a call. Never rejects: what is no answer is `unknown`, with the reason as evidence. */
export type Witness = (question: WitnessQuestion) => Promise<Answer>;

/** A witness that asks the given tools. `fetchWith` makes the `fetch` that a tool gets. */
export const toolWitness =
  (tools: ToolSet, fetchWith: (signal: AbortSignal) => ToolFetch): Witness =>
  async (question) => {
    const tool = tools.get(question.tool);
    if (tool === undefined) return unknown(`this reconciler has not loaded the tool ${question.tool}`);
    try {
      return await ask(tool, question, fetchWith(question.signal));
    } catch (error) {
      const { code, message } = describeError(error);
      return unknown(`verify of ${question.tool} failed: ${message}`, { code });
    }
  };

const ask = async (tool: Tool, { args, key, signal, logger }: WitnessQuestion, fetch: ToolFetch): Promise<Answer> => {
  if (tool.verify === null) return unknown(`the tool ${tool.ref} has no verify`);
  const checked = tool.checkArgs(args);
  if (!checked.ok) return unknown(`the arguments do not fit the input of ${tool.ref}: ${checked.problem}`);
  return understood(tool, await tool.verify(checked.value, { key, signal, logger, fetch }));
};

// The verdict comes from code that nobody has checked: it may be anything.
const understood = (tool: Tool, said: ToolVerdict | undefined): Answer => {
  const evidence = boundEvidence(said?.evidence ?? 'the tool gave no evidence');
  switch (said?.verdict) {
    case 'applied':
      return applied(tool, said.result, evidence);
    case 'absent':
    case 'unknown':
      return { verdict: said.verdict, evidence };
    default:
      return unknown(`verify of ${tool.ref} returned no verdict: applied, absent or unknown`);
  }
};

const applied = (tool: Tool, result: unknown, evidence: Answer['evidence']): Answer => {
  const checked = tool.checkResult(result);
  if (!checked.ok) {
    return unknown(
      `${tool.ref} says applied, but its result does not fit its output: ${checked.problem}`,
      said(evidence),
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify(checked.value));
  if (bytes > LIMITS.inlineValueBytes) {
    return unknown(
      `${tool.ref} says applied, but its result of ${bytes} bytes is larger than ${LIMITS.inlineValueBytes}`,
      said(evidence),
    );
  }
  return { verdict: 'applied', result: checked.value, evidence };
};

const said = ({ summary, details }: Answer['evidence']): Json =>
  details === undefined ? { summary } : { summary, details: details as Json };
