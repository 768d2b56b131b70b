import { isWithinDepth, LIMITS, type Amounts, type Failure, type Omitted } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { sha256 } from '../digest.js';
import { knownSecrets } from '../secrets/secrets.js';
import { boundText, classify, type Classified } from './classify.js';
import { openContext, type CallFrame } from './context.js';
import { ToolFailure } from './tool-failure.js';
import type { Tool } from './tool.js';

/** How one call of a tool ended. A result above the inline limit was seen and hashed, and is not kept. */
export type CallOutcome =
  | { readonly outcome: 'succeeded'; readonly result: Json; readonly used?: Amounts }
  | { readonly outcome: 'succeeded'; readonly omitted: Omitted; readonly used?: Amounts }
  | Classified;

/**
 * Checks the arguments, calls the tool once and says how it ended; never rejects. Arguments that do not fit fail
 * before anything is called. A result that does not fit was still returned by a call that acted. Does not race the
 * deadline: a tool that ignores its signal keeps this pending.
 */
export const callTool = async (tool: Tool, args: Json, frame: CallFrame): Promise<CallOutcome> => {
  const checked = tool.checkArgs(args);
  if (!checked.ok) {
    return { outcome: 'failed', failure: invalid('args', tool, checked.problem), retry: 'never', used: {} };
  }
  const { context, close, used } = openContext(frame);
  const told = (outcome: CallOutcome): CallOutcome => {
    const said = used();
    return said === undefined ? outcome : { ...outcome, used: said };
  };
  try {
    return told(kept(tool, await tool.run(checked.value, context)));
  } catch (error) {
    return told(classify(error, tool.policy));
  } finally {
    close();
  }
};

const kept = (tool: Tool, returned: unknown): CallOutcome => {
  const checked = tool.checkResult(returned);
  if (!checked.ok) {
    const { code, message } = invalid('result', tool, checked.problem);
    return classify(new ToolFailure(message, { code, retry: 'later', effect: 'unknown' }), tool.policy);
  }
  return keepResult(checked.value);
};

/** The result as a record may hold it, without any secret that this process knows. */
export const keepResult = (returned: Json): CallOutcome => {
  const result = knownSecrets.maskJson(returned);
  const text = JSON.stringify(result);
  if (Buffer.byteLength(text) <= LIMITS.inlineValueBytes && isWithinDepth(result, LIMITS.valueDepth))
    return { outcome: 'succeeded', result };
  return { outcome: 'succeeded', omitted: omittedOf(text) };
};

/** What stands for a result, given as JSON, that a record cannot hold. */
export const omittedOf = (text: string): Omitted => ({
  omitted: true,
  bytes: Buffer.byteLength(text),
  sha256: sha256(text),
});

const invalid = (part: 'args' | 'result', tool: Tool, problem: string): Failure => {
  const what = part === 'args' ? 'arguments' : 'result';
  const message = `the ${what} of ${tool.ref} do not fit its schema: ${problem}`;
  return { code: `invalid_${part}`, message: boundText(message, LIMITS.evidenceBytes) };
};
