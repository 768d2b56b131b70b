import type { HistoryEntry, RunDetail, RunSummary } from '@holdfast/api';
import { BIG, STEPS } from './names.js';

const names = ['documents', 'invoice', 'nightly-report', 'onboarding', 'refund', 'research'];
const teams = ['records', 'billing', 'ops', 'support'];
const open = ['running', 'waiting', 'recovering', 'paused', 'cancelling'] as const;
const reasons = ['succeeded', 'succeeded', 'succeeded', 'failed', 'cancelled', 'budget_exhausted'] as const;
const MINUTE = 60_000;

const base = (runId: string, now: number): RunSummary => ({
  runId,
  lane: 3,
  seq: 41_208,
  status: 'running',
  reason: null,
  labels: {},
  tenant: null,
  parentRunId: null,
  acceptedAt: now - 4 * MINUTE,
  updatedAt: now - 800,
  deadlineAt: now + 55 * MINUTE,
  endedAt: null,
  principal: 'ada',
  stepsOpen: 0,
  stepsSucceeded: 0,
  stepsFailed: 0,
  effectsApplied: 0,
  doubtsOpen: 0,
  questionsOpen: 0,
  waitingFor: null,
});

/** The big run first, then some that are open, then many that are over. */
export const summaries = (now: number, count: number): readonly RunSummary[] => [
  {
    ...base(BIG, now),
    status: 'recovering',
    labels: { team: 'records', source: 'archive', priority: 'high' },
    tenant: 'acme',
    stepsOpen: 32,
    stepsSucceeded: STEPS - 36,
    stepsFailed: 4,
    effectsApplied: 1_652,
    doubtsOpen: 3,
    questionsOpen: 2,
    waitingFor: '3 effects are in doubt: nothing that changes the world is started before they are settled',
  },
  ...Array.from({ length: count - 1 }, (_, index) => summary(index + 1, now)),
];

const summary = (index: number, now: number): RunSummary => {
  const name = names[index % names.length] ?? 'run';
  const acceptedAt = now - 4 * MINUTE - index * 47_000;
  const isOpen = index < 12;
  const status = isOpen ? (open[index % open.length] ?? 'running') : index % 29 === 0 ? 'closing' : 'ended';
  return {
    ...base(`${name}-${String(9_000 - index)}`, now),
    lane: index % 12,
    seq: 40_000 - index * 7,
    status,
    reason: isOpen ? null : (reasons[index % reasons.length] ?? 'succeeded'),
    labels: { team: teams[index % teams.length] ?? 'ops', ...(index % 3 === 0 ? { env: 'production' } : {}) },
    acceptedAt,
    endedAt: isOpen ? null : acceptedAt + 9_000 + (index % 17) * 4_100,
    stepsOpen: isOpen ? index % 5 : 0,
    stepsSucceeded: 3 + (index % 40),
    stepsFailed: index % 7 === 3 ? 1 : 0,
    effectsApplied: 1 + (index % 12),
    doubtsOpen: status === 'recovering' ? 1 : 0,
    questionsOpen: status === 'waiting' ? 1 : 0,
    waitingFor: status === 'waiting' ? 'an answer to question 812 about step release' : null,
  };
};

const program = {
  kind: 'plan',
  name: 'File every document exactly once',
  steps: [
    {
      id: 'document',
      forEach: { $from: 'input.documents' },
      window: 32,
      steps: [
        { id: 'read', tool: 'read-document@1', args: { document: { $from: 'item' } } },
        { id: 'file', tool: 'file-document@1', args: { document: { $from: 'item' } }, retry: { triesMax: 5 } },
      ],
    },
  ],
};

/** A run that is known, with its program, input, budgets and the like. */
export const detail = (runs: readonly RunSummary[], runId: string, now: number): RunDetail | null => {
  const run = runs.find((one) => one.runId === runId);
  if (run === undefined) return null;
  const over = run.status === 'ended' || run.status === 'closing';
  return {
    ...run,
    requestId: 'submit-1',
    program,
    input: {
      documents: Array.from({ length: 2_600 }, (_, index) => ({ number: index })).slice(0, runId === BIG ? 2_600 : 4),
    },
    tools: { 'file-document@1': { hash: '9f2c…', policy: 'verifiable', timeoutMs: 5_000, settleMs: 1_000 } },
    output: run.reason === 'succeeded' ? { items: 2_000, succeeded: 1_998, failed: 2 } : null,
    detail: over ? 'all steps of the plan are done' : null,
    report: over ? report : null,
    budgets: [
      { kind: 'steps', used: '4996', limit: '6000', left: '1004' },
      { kind: 'effects', used: '1652', limit: '1800', left: '148' },
      { kind: 'money:EUR', used: '1234.5678', limit: '1250', left: '15.4322' },
      { kind: 'calls:file-document@1', used: '1660', limit: null, left: null },
    ],
    cancel: run.status === 'cancelling' ? { reason: 'wrong folder', by: 'bob', deadlineAt: now + 21_000 } : null,
    paused: run.status === 'paused' ? { reason: 'the office is closed', by: 'ada', since: now - 90_000 } : null,
    children: runId === BIG ? ['documents-2026-11-30~index'] : [],
  };
};

const report = {
  applied: 1_652,
  absent: [
    { stepId: 'document[17].file', attempt: 0, tool: 'file-document@1', note: 'closed before anybody began it' },
  ],
  inDoubt: [],
  running: [],
  conflicts: [{ stepId: 'document[5].file', attempt: 1, tool: 'file-document@1' }],
  totals: { absent: 1, inDoubt: 0, running: 0, conflicts: 1 },
  stepsSucceeded: 4_964,
  stepsFailed: 4,
};

const types = ['StepScheduled', 'StepSucceeded', 'AttemptHeld', 'DoubtOpened', 'DoubtSettled', 'BackoffStarted'];

/** Events with holes between their numbers, as a lane with several runs has them. */
export const history = (now: number, count: number): readonly HistoryEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const type = index === 0 ? 'RunAccepted' : (types[index % types.length] ?? 'StepScheduled');
    const stepId = index === 0 ? null : `document[${Math.floor(index / 4)}].file`;
    return {
      seq: 34_011 + index * 3,
      offset: 36_100 + index * 3,
      at: now - 240_000 + index * 90,
      type,
      stepId,
      principal: index === 0 ? 'ada' : null,
      words:
        index === 0
          ? 'The run was accepted'
          : `Step ${stepId}: ${type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()}`,
      data: {
        stepId,
        attempt: 0,
        tool: 'file-document@1',
        runAt: now - 240_000 + index * 90,
        argsHash: `sha256:${index}`,
      },
    };
  });
