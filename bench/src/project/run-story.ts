import { DEFAULTS, limitsOf, runEvent, type ReplayPolicy, type RunEvent, type ToolPin } from '@holdfast/events';

/** Events of one run of the story, `LaneAdvanced` of its batches aside. */
export const EVENTS_PER_RUN = 9;

const pin = (name: string, policy: ReplayPolicy): ToolPin => ({
  name,
  version: '1',
  policy,
  queue: 'default',
  timeoutMs: 10_000,
  settleMs: 5_000,
  verify: policy === 'verifiable',
  spawns: false,
  hash: `hash of ${name}`,
});

export const tools = {
  'read@1': pin('read', 'pure'),
  'file@1': pin('file', 'verifiable'),
  'sum@1': pin('sum', 'pure'),
};
const program = {
  kind: 'plan' as const,
  steps: [
    { id: 'read', tool: 'read@1', args: { name: { $from: 'input.name' } } },
    { id: 'file', tool: 'file@1', args: { text: { $from: 'steps.read.text' } } },
    { id: 'sum', tool: 'sum@1', after: ['file'] },
  ],
};
const limits = limitsOf();
export const hash = 'f'.repeat(64);

/** A small run with an effect, event by event: read, file, sum. */
export const runStory = (runId: string, at: number): readonly RunEvent[] => [
  runEvent('RunAccepted', {
    runId,
    requestId: `submit-${runId}`,
    requestHash: hash,
    principal: 'bench',
    labels: { team: `team-${runId.length % 7}`, batch: runId.slice(0, 12) },
    runKey: runId.padEnd(16, '0').slice(0, 16),
    program,
    input: { name: `document ${runId}`, pages: 12 },
    tools,
    acceptedAt: at,
    deadlineAt: at + DEFAULTS.runMs,
    limits,
  }),
  scheduled('read', at),
  succeeded('read', { text: `what is written in ${runId}`, words: 1_200 }),
  scheduled('file', at),
  runEvent('AttemptHeld', { stepId: 'file', attempt: 0, session: 'session-1', deadline: at + 10_000, claimOffset: 1 }),
  succeeded('file', { record: `record of ${runId}` }),
  scheduled('sum', at),
  succeeded('sum', { pages: 12 }),
  runEvent('RunEnded', {
    reason: 'succeeded',
    detail: '',
    output: { pages: 12 },
    report: {
      applied: 1,
      absent: [],
      inDoubt: [],
      running: [],
      conflicts: [],
      totals: { absent: 0, inDoubt: 0, running: 0, conflicts: 0 },
      stepsSucceeded: 3,
      stepsFailed: 0,
    },
    endedAt: at + 50,
  }),
];

type StepId = 'read' | 'file' | 'sum';

/** `path`: where the step is in its plan. */
export const scheduled = (step: StepId, at: number, path: string = step): RunEvent => {
  const { policy } = tools[`${step}@1`];
  return runEvent('StepScheduled', {
    stepId: path,
    attempt: 0,
    tool: `${step}@1`,
    policy,
    queue: 'default',
    partition: 0,
    scheduledAt: at,
    startBy: at + DEFAULTS.startByMs,
    timeoutMs: 10_000,
    key: `key/${path}`,
    argsHash: hash,
    claimsFrom: 0,
    settling: false,
    reservation: { steps: 1, effects: step === 'file' ? 1 : 0, [`calls:${step}@1`]: 1 },
  });
};

export const succeeded = (stepId: string, result: { readonly [name: string]: string | number }): RunEvent =>
  runEvent('StepSucceeded', { stepId, attempt: 0, by: 'outcome', session: 'session-1', result });
