import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  abortKind,
  claimKind,
  clusterKind,
  commandKind,
  encode,
  type MessageKind,
  type messageKind,
  heartbeatKind,
  journalKind,
  replyKind,
  requestKind,
  snapshotKind,
  toolsKind,
  verdictKind,
  type Message,
} from '@holdfast/contracts';
import { T0 } from '../support/clock.js';
import { word } from '../support/messages.js';
import { planOf, step } from '../support/plans.js';
import { tool } from '../support/tools.js';
import { goldens } from './golden.js';

/** Where the examples are: one file per record type, `<topic>/<Type>.json`. */
const folder = new URL('../../libs/contracts/examples/', import.meta.url);

const all = {
  'run-requests': requestKind,
  'run-replies': replyKind,
  'step-commands': commandKind,
  'step-claims': claimKind,
  'step-journal': journalKind,
  'effect-verdicts': verdictKind,
  heartbeats: heartbeatKind,
  'run-aborts': abortKind,
  'run-snapshots': snapshotKind,
  tools: toolsKind,
  cluster: clusterKind,
};
export type Topic = keyof typeof all;
export const kinds: Readonly<Record<Topic, MessageKind<Parameters<typeof messageKind>[1]>>> = all;

export const HISTORY = 'run-events';

export const exampleOf = (topic: string, type: string): string =>
  readFileSync(new URL(`${topic}/${type}.json`, folder), 'utf8');

export const exampleFiles = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .toSorted();

const ref = { attemptId: 'order-17/charge/0', runId: 'order-17', stepId: 'charge', attempt: 0 };
const who = { runId: 'order-17', step: 'charge', session: 'worker-5f1c' };
const claim = { runId: 'order-17', ticket: '0123456789abcdef', key: 'orders/17' };
const program = planOf(step('charge', 'verifiable', { args: { amount: { $from: 'input.amount' } } }));

const data: Record<Topic, Record<string, unknown>> = {
  'run-requests': {
    SubmitRun: { requestId: 'r-1', runId: 'order-17', program, input: { amount: '12.34' }, labels: { team: 'shop' } },
    CancelRun: { requestId: 'r-2', runId: 'order-17', reason: 'ordered twice', withinMs: 30_000, mode: 'abort' },
    CancelRuns: {
      requestId: 'r-8',
      lane: 3,
      labels: { team: 'shop' },
      reason: 'sold',
      withinMs: 30_000,
      mode: 'abort',
    },
    KillRun: { requestId: 'r-4', runId: 'order-17', reason: 'calls the wrong door' },
    PauseRun: { requestId: 'r-5', runId: 'order-17', reason: 'the shop is closed' },
    ResumeRun: { requestId: 'r-6', runId: 'order-17' },
    SteerRun: { requestId: 'r-7', runId: 'order-17', deadlineMs: 3_600_000, windows: { parcel: 8 } },
    AnswerEscalation: {
      requestId: 'r-3',
      runId: 'order-17',
      escalation: 42,
      choice: 'absent',
      note: 'looked',
      lookedAt: T0,
    },
    ClaimKey: { requestId: 'claim 0123456789abcdef', ...claim, policy: 'cancel-older', generation: 7 },
    ReleaseKey: { requestId: 'release 0123456789abcdef', ...claim },
    DecideKey: {
      requestId: 'key 17',
      ...claim,
      verdict: 'waiting',
      holder: 'order-16',
      place: 1,
      displaces: [{ runId: 'order-16', ticket: 'fedcba9876543210' }],
    },
    ReportChild: {
      requestId: 'report 17',
      runId: 'order-17',
      ticket: '0f1e2d3c',
      childRunId: 'order-17~ship',
      report: {
        status: 'ended',
        reason: 'succeeded',
        detail: '',
        output: { parcel: 'P-1' },
        totals: { applied: 1, inDoubt: 0, running: 0, stepsSucceeded: 2, stepsFailed: 0 },
      },
    },
    SupersedeRun: {
      requestId: 'supersede fedcba9876543210',
      ...claim,
      runId: 'order-16',
      ticket: 'fedcba9876543210',
      by: 'order-17',
    },
    SetTenantBudget: {
      requestId: 'r-4',
      runId: 'tenant/acme',
      tenant: 'acme',
      budget: { effects: 1_000, money: { amount: '250.00', currency: 'EUR' } },
    },
    AskGrant: {
      requestId: 'ask-grant-41',
      runId: 'order-17',
      tenant: 'acme',
      ask: 1,
      need: { effects: 1, 'money:EUR': '0.05' },
      want: { effects: 33, 'money:EUR': '1.65' },
    },
    GiveGrant: {
      requestId: 'give-grant-7',
      runId: 'order-17',
      tenant: 'acme',
      ask: 1,
      total: { effects: 33, 'money:EUR': '1.65' },
      denied: null,
    },
    ReturnGrant: {
      requestId: 'return-grant-55',
      runId: 'order-17',
      tenant: 'acme',
      seq: 55,
      spent: { steps: 1, effects: 1, 'money:EUR': '0.05' },
      final: true,
    },
  },
  'run-replies': {
    RequestAnswered: { requestId: 'r-1', runId: 'order-17', outcome: 'accepted', lane: 3, seq: 41 },
  },
  'step-commands': {
    ExecuteSteps: {
      queue: 'default',
      partition: 0,
      lane: 3,
      steps: [
        {
          ...ref,
          tool: 'verifiable@1',
          toolHash: 'sha256',
          policy: 'verifiable',
          args: { amount: '12.34' },
          argsHash: 'sha256',
          key: '0123456789abcdef/charge',
          startBy: T0 + 60_000,
          timeoutMs: 1_000,
          claimsFrom: 17,
          settling: false,
          alone: false,
          keyValidUntil: null,
        },
      ],
    },
  },
  'step-claims': {
    AttemptClaimed: {
      attemptId: ref.attemptId,
      session: 'worker-5f1c',
      deadline: T0 + 1_000,
      startBy: T0 + 60_000,
      argsHash: 'sha256',
    },
    AttemptClosed: { attemptId: ref.attemptId, closedBy: 'coordinator-1', startBy: T0 + 60_000 },
    PartitionLooked: { lookedBy: 'coordinator-1' },
  },
  'step-journal': Object.fromEntries(
    (Object.keys(journalKind.types) as (keyof typeof journalKind.types)[]).map((type) => [type, word(type, who).data]),
  ),
  'effect-verdicts': {
    EffectJudged: {
      ...ref,
      doubtSeq: 44,
      verdict: 'applied',
      result: { receipt: 'A-1' },
      askedAt: T0 + 2_000,
      probe: 1,
      judgedBy: 'reconciler-1',
      evidence: { summary: 'found a charge with this key' },
    },
  },
  heartbeats: {
    ExecutorBeat: {
      executor: 'parent-9',
      sessions: [{ session: 'worker-5f1c', state: 'open' }],
      queues: { default: { partitions: [0, 1], slots: 32, free: 30 } },
      tools: ['verifiable@1'],
      at: T0,
    },
    SessionEnded: { executor: 'parent-9', session: 'worker-5f1c', cause: 'exited', endedAt: T0 },
    CoordinatorBeat: { coordinator: 'coordinator-1', lanes: [3], demand: { default: 1 }, at: T0 },
    ReconcilerBeat: { reconciler: 'reconciler-1', lanes: [3], at: T0 },
  },
  'run-aborts': { AbortRun: { runId: 'order-17', reason: 'ordered twice', mode: 'abort', lane: 3, seq: 45 } },
  'run-snapshots': {
    SnapshotPiece: { snapshot: '3/41 coordinator-1', index: 0, body: 'H4sIAAAAAAAAA4uuBQBDv6ajAgAAAA==' },
    SnapshotTaken: {
      snapshot: '3/41 coordinator-1',
      version: 1,
      lane: 3,
      offset: 42,
      epoch: 2,
      seq: 41,
      owner: 'coordinator-1',
      chain: 'sha256',
      chunks: [{ bytes: 1_024, pieces: [{ offset: 7, digest: 'sha256' }] }],
      digest: 'sha256',
    },
  },
  tools: { ToolOffered: tool('verifiable') },
  cluster: { LanesFixed: { lanes: 12, namespace: 'holdfast' } },
};

const message = (type: string, about: unknown): Message => ({
  type,
  version: 1,
  id: `example/${type}`,
  source: 'holdfast/example',
  subject: 'order-17',
  time: new Date(T0).toISOString(),
  principal: null,
  data: about,
});

/** Writes an example for each type that has none: `npm run docs:examples`. */
export const writeExamples = (): void => {
  for (const [topic, kind] of Object.entries(kinds)) {
    for (const type of Object.keys(kind.types)) {
      const text = new TextDecoder().decode(encode(message(type, data[topic as Topic][type])));
      write(topic, type, text);
    }
  }
  const lines = goldens().flatMap(({ values }) => values);
  for (const line of lines) write(HISTORY, (JSON.parse(line) as { type: string }).type, line);
};

const write = (topic: string, type: string, text: string): void => {
  const file = new URL(`${topic}/${type}.json`, folder);
  if (existsSync(file)) return;
  mkdirSync(new URL(`${topic}/`, folder), { recursive: true });
  writeFileSync(file, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
};
