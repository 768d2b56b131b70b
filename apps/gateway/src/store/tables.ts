import { bigint, boolean, bytea, int, json, jsonb, nullable, table, text, type RowOf } from './column.js';

/** The record that wrote the row last. */
const writtenBy = { lane: int, offset: bigint } as const;

/** Every valid record of history. `data` is the event's data, whole. */
export const events = table('events', ['lane', 'seq'], {
  lane: int,
  seq: bigint,
  offset: bigint,
  /** Null for what is about the lane itself. */
  runId: nullable(text),
  type: text,
  /** As the broker stamped it. */
  at: bigint,
  stepId: nullable(text),
  principal: nullable(text),
  data: json,
});
export type EventRow = RowOf<typeof events>;

/** What a list of runs shows. Program, input, output and report are in the events that `acceptedSeq`, `endedSeq`, `reportSeq` name. */
export const runs = table('runs', ['runId'], {
  runId: text,
  ...writtenBy,
  /** Number of its last event. */
  seq: bigint,
  acceptedSeq: bigint,
  status: text,
  reason: nullable(text),
  detail: nullable(text),
  labels: jsonb,
  tenant: nullable(text),
  parentRunId: nullable(text),
  principal: nullable(text),
  acceptedAt: bigint,
  updatedAt: bigint,
  deadlineAt: bigint,
  endedAt: nullable(bigint),
  /** `RunEnded`, and the last event that holds a report of its effects. */
  endedSeq: nullable(bigint),
  reportSeq: nullable(bigint),
  stepsOpen: int,
  stepsSucceeded: int,
  stepsFailed: int,
  effectsApplied: int,
  doubtsOpen: int,
  /** Those that can be answered, expired ones too. */
  questionsOpen: int,
  /** The first thing that it waits for, as `Wait` of `@holdfast/events`; null while it moves. */
  waiting: nullable(json),
  /** `{ kind, used, limit, left }[]`, as `gaugeSchema` of `@holdfast/api`. */
  budgets: json,
  /** `{ reason, by, deadlineAt }` */
  cancel: nullable(json),
  /** `{ reason, by, since }` */
  paused: nullable(json),
});
export type RunRow = RowOf<typeof runs>;

export const steps = table('steps', ['runId', 'stepId'], {
  runId: text,
  stepId: text,
  ...writtenBy,
  /** Number of the event that opened it: the order of a list. */
  firstSeq: bigint,
  tool: text,
  policy: text,
  status: text,
  attempts: int,
  tries: int,
  scheduledAt: bigint,
  endedAt: nullable(bigint),
  /** `StepSucceeded` (with the result) or the last `StepFailed`. */
  endedSeq: nullable(bigint),
  failure: nullable(json),
});
export type StepRow = RowOf<typeof steps>;

export const attempts = table('attempts', ['runId', 'stepId', 'attempt'], {
  runId: text,
  stepId: text,
  attempt: int,
  ...writtenBy,
  firstSeq: bigint,
  tool: text,
  policy: text,
  status: text,
  settling: boolean,
  queue: text,
  partition: int,
  session: nullable(text),
  effect: nullable(text),
  scheduledAt: bigint,
  heldAt: nullable(bigint),
  endedAt: nullable(bigint),
});
export type AttemptRow = RowOf<typeof attempts>;

/** `seq` is the number of `DoubtOpened`. */
export const doubts = table('doubts', ['runId', 'seq'], {
  runId: text,
  seq: bigint,
  ...writtenBy,
  stepId: text,
  attempt: int,
  tool: text,
  cause: text,
  holds: text,
  openedAt: bigint,
  settledAt: bigint,
  settleBy: bigint,
  probes: int,
  evidence: nullable(text),
  verdict: nullable(text),
  by: nullable(text),
  endedAt: nullable(bigint),
});
export type DoubtRow = RowOf<typeof doubts>;

/** Questions to people: escalations. `seq` is the number of `EscalationOpened`. */
export const questions = table('questions', ['runId', 'seq'], {
  runId: text,
  seq: bigint,
  ...writtenBy,
  stepId: text,
  attempt: int,
  kind: text,
  question: text,
  context: nullable(json),
  choices: json,
  schema: nullable(json),
  approves: nullable(json),
  assignees: json,
  openedAt: bigint,
  expiresAt: bigint,
  /** `end`, `fail`, or the answer that silence stands for, as JSON. */
  onSilence: text,
  status: text,
  choice: nullable(text),
  answeredBy: nullable(text),
  note: nullable(text),
  endedAt: nullable(bigint),
});
export type QuestionRow = RowOf<typeof questions>;

/** Budgets that several runs live on. `used`: what is granted to runs that are not over, and what the others have used. */
export const budgets = table('budgets', ['owner', 'kind'], {
  /** The name of the tenant. */
  owner: text,
  kind: text,
  ...writtenBy,
  used: text,
  most: nullable(text),
  /** Runs that live on it, and how many of them wait for more. */
  runs: int,
  waiting: int,
});
export type BudgetRow = RowOf<typeof budgets>;

/** What a lane is like after its last record. */
export const lanes = table('lanes', ['lane'], {
  lane: int,
  offset: bigint,
  seq: bigint,
  epoch: int,
  owner: nullable(text),
  /** Lane time, and when its last record was written by the broker's clock. */
  at: bigint,
  writtenAt: bigint,
  /** Next offsets of its input topics. */
  positions: json,
  runsOpen: int,
  runsTotal: int,
});
export type LaneRow = RowOf<typeof lanes>;

/** Parents of workers, as their last heartbeat shows them. Written every few seconds only. */
export const executors = table('executors', ['executor'], {
  executor: text,
  offset: bigint,
  lastBeatAt: bigint,
  sessions: json,
  queues: json,
  tools: json,
});
export type ExecutorRow = RowOf<typeof executors>;

/** Coordinators and reconcilers, as their last heartbeat shows them. */
export const members = table('members', ['role', 'member'], {
  /** `coordinator` or `reconciler`. */
  role: text,
  member: text,
  offset: bigint,
  lastBeatAt: bigint,
  lanes: json,
});
export type MemberRow = RowOf<typeof members>;

/** What could not be read, under its place in the topic of dead letters. */
export const deadLetters = table('dead_letters', ['partition', 'offset'], {
  partition: int,
  offset: bigint,
  sourceTopic: text,
  sourcePartition: int,
  sourceOffset: bigint,
  key: nullable(text),
  code: text,
  reason: text,
  by: text,
  at: bigint,
  bytes: int,
  value: nullable(bytea),
});
export type DeadLetterRow = RowOf<typeof deadLetters>;

/** Each time that a letter was sent again: notes in the same partition, under their own places. */
export const resends = table('resends', ['partition', 'offset'], {
  partition: int,
  offset: bigint,
  /** The offset of the letter. */
  letter: bigint,
  by: text,
  requestId: text,
  at: bigint,
});
export type ResendRow = RowOf<typeof resends>;

/** Up to where each partition of a topic is in the rows; changed in the transaction that writes them, and only there. */
export const projections = table('projections', ['source', 'partition'], {
  /** Name of the topic. */
  source: text,
  partition: int,
  nextOffset: bigint,
  updatedAt: bigint,
});
export type ProjectionRow = RowOf<typeof projections>;

/** API tokens. They follow from no topic: nothing but the gateway's own access ever writes or takes away rows here. */
export const apiTokens = table('api_tokens', ['id'], {
  id: text,
  name: text,
  /** SHA-256 of the whole token. */
  hash: bytea,
  roles: json,
  createdAt: bigint,
  createdBy: text,
  expiresAt: nullable(bigint),
  revokedAt: nullable(bigint),
  revokedBy: nullable(text),
  lastUsedAt: nullable(bigint),
});
export type ApiTokenRow = RowOf<typeof apiTokens>;

/** Rows that follow from the lanes' histories alone. */
export const historyTables = { events, runs, steps, attempts, doubts, questions, budgets, lanes } as const;
export type HistoryTable = keyof typeof historyTables;
export const tables = { ...historyTables, executors, members, deadLetters, resends, projections } as const;
export type TableName = keyof typeof tables;
