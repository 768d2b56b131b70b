export { sha256 } from './digest.js';
export { findSecret, secret } from './secrets/secret.js';
export {
  isByReference,
  isCalledCredential,
  SecretReferenceProblem,
  withReferencedSecrets,
} from './secrets/references.js';
export { masked, maskPrinting } from './secrets/output.js';
export { knownSecrets, Secrets } from './secrets/secrets.js';
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
export { boundText, classify, describeError, type Classified } from './tool/classify.js';
export type { Keyed, Replay, ToolDefinition, Unprotected, Verifiable } from './tool/definition.js';
export { defineTool, isTool } from './tool/define-tool.js';
export { jsonObject, jsonValue } from './tool/json-type.js';
export { checkSection, type SectionSurroundings, type SectionTools, type ToolsFromSection } from './tool/section.js';
export { InvalidTool, ToolsNotReady } from './tool/invalid-tool.js';
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
export { HttpError, isHttpError, type ToolFetch, type ToolRequest, type ToolResponse } from './http/http.js';
export type { RefuseAddress } from './http/addresses.js';
export { createFetch, type HttpBounds } from './http/create-fetch.js';
export { isRefusal, retryAfterMs, retryAfterStatus } from './http/statuses.js';
export { EffectLedger } from './http/effect-ledger.js';
export { openContext, openQuestion, type CallFrame, type OpenContext, type QuestionFrame } from './tool/context.js';
export { callTool, keepResult, omittedOf, type CallOutcome } from './tool/call-tool.js';
export { askTool, type JsonVerdict } from './tool/ask-tool.js';
export { readToEnd, type ReadToEnd } from './log/read-to-end.js';
export { readLanes } from './log/lanes.js';
export { LaneReader, type LanePartition, type LaneRecord } from './lane/lane-reader.js';
export { readLane, type ReadLane } from './lane/read-lane.js';
export { followLane, followLanes, type FollowLane, type FollowLanes, type LanesFollower } from './lane/follow-lanes.js';
export { gzipAtOnce, gzipPacking, type Packing } from './snapshot/packing.js';
export { auditLane, type AuditedLane, type AuditedSnapshot, type AuditLane } from './snapshot/audit-lane.js';
export { writeSnapshot, type SnapshotWritten, type Taken, type WriteSnapshot } from './snapshot/write-snapshot.js';
export { findSnapshot, type FindSnapshot, type FoundSnapshot, type SnapshotIgnored } from './snapshot/find-snapshot.js';
export {
  restoreSnapshot,
  snapshotsSeen,
  snapshotTaken,
  type SnapshotSeen,
  type SnapshotTopic,
  type Told,
} from './snapshot/snapshot-topic.js';
export {
  createClient,
  type Asking,
  type BulkAnswer,
  type BulkCancelling,
  type CancelOptions,
  type Client,
  type ClientOptions,
  type EscalationAnswer,
  type KillOptions,
  type PauseOptions,
  type Pending,
  type RunHistory,
  type Steering,
  type Submission,
  type TenantBudget,
} from './client/client.js';
export { ClientError, NoAnswer, RequestRefused, type Answer, type ClientErrorCode } from './client/client-error.js';
export type { AskedAgain, Written } from './client/ask.js';
export { ForkRefused, forkSubmission, planFork, type Forking } from './client/fork.js';
export type { BulkProgress } from './client/watch-bulk.js';
export { watchRun, type Watched, type WatchOptions, type WatchPlace } from './client/watch.js';
export { runTool, verifyTool, type ToolRun } from './testing/run-tool.js';
export { patiently, type Patience } from './log/patiently.js';
export {
  readDeadLetters,
  sendAgain,
  type LetterPlace,
  type LetterPorts,
  type LetterRead,
  type SendAgain,
} from './letters/dead-letters.js';
