import type { Json } from '@holdfast/programs';
import { silentLogger } from '../ports.js';
import { askTool, type JsonVerdict } from '../tool/ask-tool.js';
import { callTool, type CallOutcome } from '../tool/call-tool.js';
import type { CallFrame } from '../tool/context.js';
import type { Tool } from '../tool/tool.js';

/** How the call ended, as an executor would report it, and what the tool told on the way. */
export type ToolRun = CallOutcome & { readonly progress: readonly Json[] };

/**
 * Calls a tool once, as an executor does, for unit tests of tools. `overrides` replace parts of the call; for example
 * `{ refusal: () => 'lease' }` refuses every effect at the guard.
 */
export const runTool = async (tool: Tool, args: unknown, overrides: Partial<CallFrame> = {}): Promise<ToolRun> => {
  const progress: Json[] = [];
  const frame = { ...testFrame(tool), progress: (value: Json) => void progress.push(value), ...overrides };
  return { ...(await callTool(tool, args as Json, frame)), progress };
};

/** Asks a tool about an earlier call, as a reconciler does. */
export const verifyTool = (tool: Tool, args: unknown, overrides: Partial<CallFrame> = {}): Promise<JsonVerdict> =>
  askTool(tool, args as Json, { ...testFrame(tool), ...overrides });

const testFrame = (tool: Tool): CallFrame => ({
  key: 'test-run-key/step',
  runId: 'test-run',
  stepId: 'step',
  attempt: 0,
  deadline: Date.now() + tool.timeoutMs,
  signal: new AbortController().signal,
  refusal: () => null,
  progress: () => undefined,
  logger: silentLogger,
  now: () => Date.now(),
});
