import type { Evidence } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { knownSecrets } from '../secrets/secrets.js';
import { boundText, describeError } from './classify.js';
import { openQuestion, type QuestionFrame } from './context.js';
import type { Tool } from './tool.js';
import { boundEvidence, unknown, type ToolVerdict } from './verdict.js';

export type JsonVerdict =
  | { readonly verdict: 'applied'; readonly result: Json; readonly evidence: Evidence }
  | { readonly verdict: 'absent' | 'unknown'; readonly evidence: Evidence };

const DETAILS_BYTES = 4_000;

/**
 * Asks a tool about an earlier call; never rejects. Whatever is not a clear answer is `unknown`: an exception, a tool
 * that cannot be asked, a recovered result that does not fit the output schema.
 */
export const askTool = async (tool: Tool, args: Json, frame: QuestionFrame): Promise<JsonVerdict> => {
  const checked = tool.checkArgs(args);
  if (!checked.ok) return unsure(`the arguments do not fit ${tool.ref}`, checked.problem);
  if (tool.verify === null) return unsure(`${tool.ref} cannot be asked: it has no verify`);
  try {
    return judged(tool, await tool.verify(checked.value, openQuestion(frame)));
  } catch (error) {
    const { code, message } = describeError(error);
    return unsure(`asking ${tool.ref} failed`, `${code}: ${message}`);
  }
};

const judged = (tool: Tool, said: ToolVerdict): JsonVerdict => {
  // Tools written in plain JavaScript may answer anything.
  const verdict: unknown = (said as ToolVerdict | undefined)?.verdict;
  const evidence = boundEvidence(said?.evidence ?? 'the tool gave no evidence');
  if (verdict === 'absent' || verdict === 'unknown') return { verdict, evidence };
  if (said?.verdict !== 'applied') return unsure(`${tool.ref} gave an answer that is not a verdict`);
  const result = tool.checkResult(said.result);
  if (!result.ok) return unsure(`the recovered result does not fit the output of ${tool.ref}`, result.problem);
  return { verdict: 'applied', result: knownSecrets.maskJson(result.value), evidence };
};

const unsure = (summary: string, details?: string): JsonVerdict => ({
  verdict: 'unknown',
  evidence: unknown(details === undefined ? summary : { summary, details: boundText(details, DETAILS_BYTES) }).evidence,
});
