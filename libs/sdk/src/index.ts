export { sha256 } from './digest.js';
export {
  silentLogger,
  systemClock,
  systemIds,
  systemTimer,
  type Cancel,
  type Clock,
  type Ids,
  type Logger,
  type Timer,
} from './ports.js';
export { classify, describeError, type Classified } from './tool/classify.js';
export type { Keyed, Replay, ToolDefinition, Unprotected, Verifiable } from './tool/definition.js';
export { defineTool, isTool } from './tool/define-tool.js';
export { InvalidTool } from './tool/invalid-tool.js';
export { loadTools } from './tool/load-tools.js';
export type { Checked, Tool, ToolContext, ToolQuestion, VerifyTool } from './tool/tool.js';
export {
  GuardRefused,
  isToolFailure,
  ToolFailure,
  type FailureEffect,
  type GuardReason,
  type Retry,
  type ToolFailureOptions,
} from './tool/tool-failure.js';
export { toolSet, type ToolSet } from './tool/tool-set.js';
export { absent, applied, boundEvidence, unknown, type EvidenceInput, type ToolVerdict } from './tool/verdict.js';
export { HttpError, type ToolFetch, type ToolRequest, type ToolResponse } from './http/http.js';
export { createFetch, type HttpBounds } from './http/create-fetch.js';
export { EffectLedger } from './http/effect-ledger.js';
export { openContext, openQuestion, type CallFrame, type OpenContext, type QuestionFrame } from './tool/context.js';
export { callTool, keepResult, type CallOutcome } from './tool/call-tool.js';
export { askTool, type JsonVerdict } from './tool/ask-tool.js';
export { readToEnd, type ReadToEnd } from './log/read-to-end.js';
export { readLanes } from './log/lanes.js';
