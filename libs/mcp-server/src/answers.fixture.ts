import type { QuestionView, RunDetail, StepView, ToolView } from '@holdfast/api';

/** What a gateway answers, by route. */
export type Answers = Readonly<Record<string, unknown>>;

export const long = (characters: number): string => '😀é"x'.repeat(characters / 4);
export const summary = {
  runId: 'r'.repeat(200),
  lane: 1,
  seq: 90_000,
  status: 'running',
  reason: null,
  labels: Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`${i}`.padEnd(100, 'k'), long(500)])),
  tenant: null,
  parentRunId: null,
  acceptedAt: 1,
  updatedAt: 2,
  deadlineAt: 3,
  endedAt: null,
  principal: 'p'.repeat(200),
  stepsOpen: 32,
  stepsSucceeded: 9_968,
  stepsFailed: 0,
  effectsApplied: 9_968,
  doubtsOpen: 0,
  questionsOpen: 0,
  waitingFor: long(4_000),
} as const;
const steps = Array.from({ length: 2_000 }, (_, i) => ({
  id: `s${i}`,
  tool: 'add@1',
  args: { text: long(100) },
}));
export const detail: RunDetail = {
  ...summary,
  requestId: 'q',
  program: { kind: 'plan', steps },
  input: { text: long(200_000) },
  tools: {},
  output: Array.from({ length: 10_000 }, (_, i) => ({ sum: i })),
  detail: long(8_000),
  report: { applied: 9_968, absent: Array.from({ length: 500 }, () => ({ stepId: long(400) })) } as never,
  budgets: [{ kind: 'steps', used: '10000', limit: null, left: null }],
  cancel: { reason: long(2_000), by: 'ann', deadlineAt: 1 },
  paused: { reason: long(2_000), by: null, since: 1 },
  children: Array.from({ length: 1_000 }, () => 'c'.repeat(200)),
};
const step: StepView = {
  stepId: 's'.repeat(500),
  tool: `${'t'.repeat(100)}@1`,
  policy: 'verifiable',
  status: 'failed',
  attempts: 3,
  tries: 3,
  scheduledAt: 1,
  endedAt: 2,
  failure: { code: long(200), message: long(8_000) },
};
export const question: QuestionView = {
  runId: 'r'.repeat(200),
  seq: 7,
  stepId: 's'.repeat(500),
  kind: 'approval',
  question: long(16_000),
  context: { text: long(60_000) },
  choices: Array.from({ length: 100 }, () => 'c'.repeat(100)),
  schema: { enum: [long(60_000)] },
  approves: { args: long(60_000) },
  assignees: Array.from({ length: 100 }, () => ({ to: 'a'.repeat(200), afterMs: 0 })),
  openedAt: 1,
  expiresAt: 2,
  onSilence: long(16_000),
  status: 'open',
  choice: 'c'.repeat(100),
  answeredBy: 'a'.repeat(200),
  note: long(2_000),
  endedAt: null,
};
const offered = (tool: string): ToolView => ({
  tool,
  served: true,
  name: tool,
  version: '1',
  description: long(8_000),
  queue: 'default',
  policy: 'keyed',
  inputSchema: { type: 'object', description: long(60_000) },
  outputSchema: { type: 'object', description: long(60_000) },
  timeoutMs: 1,
  settleMs: 1,
});
const part = { about: 'moving', title: 'Why', lines: Array.from({ length: 10_000 }, () => long(2_000)) };

/** As large as the gateway's answers get: pages are as long as they are asked for. */
export const huge: Answers = {
  listRuns: page(() => summary),
  getRun: detail,
  explainRun: { runId: 'r', at: 1, seq: 1, headline: long(4_000), parts: Array.from({ length: 6 }, () => part) },
  listSteps: page(() => step),
  getStep: { ...step, args: { text: long(200_000) }, result: { text: long(200_000) } },
  listQuestions: page(() => question),
  listTools: page((i) => offered(`${i}`.padEnd(100, 't'))),
  submitRun: { requestId: 'q', runId: 'r', outcome: 'accepted', message: long(8_000), details: [long(60_000)] },
  cancelRun: { requestId: 'q', runId: 'r', outcome: 'accepted', code: 'remembered' },
  answerQuestion: { requestId: 'q', runId: 'r', outcome: 'unchanged' },
};
function page(entry: (index: number) => object) {
  return ({ query }: { readonly query: { readonly limit?: number } }) => ({
    items: Array.from({ length: query.limit ?? 50 }, (_, index) => entry(index)),
    next: 'n'.repeat(1_000),
  });
}
