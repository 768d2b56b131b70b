import type { HistoryEntry, StepView } from '@holdfast/api';
import { explanationOf, forkPlanOf } from './explanation.js';
import { letterValue } from './world-cluster.js';
import { wholeStep } from './world-steps.js';
import { BIG } from './names.js';
import type { FixtureWorld } from './world.js';

export type Asked = {
  readonly world: FixtureWorld;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
};
export type Handler = (asked: Asked) => unknown;

/** A page of a list: the cursor is where it goes on. */
const page = <T>(items: readonly T[], { cursor, limit }: Readonly<Record<string, unknown>>) => {
  const from = Number(cursor ?? 0);
  const to = from + Number(limit ?? 50);
  return { items: items.slice(from, to), next: to < items.length ? String(to) : null };
};
const has = (list: unknown, value: string | null): boolean =>
  !Array.isArray(list) || list.length === 0 || (value !== null && list.includes(value));
const holds = (text: unknown, ...values: readonly string[]): boolean =>
  typeof text !== 'string' || values.some((value) => value.includes(text));

const labelled = (wanted: unknown, labels: Readonly<Record<string, string>>): boolean =>
  !Array.isArray(wanted) ||
  wanted.every((one) => Object.entries(labels).some(([name, value]) => `${name}=${value}` === one));

const ofBig = <T>(runId: string | undefined, items: readonly T[]): readonly T[] =>
  runId === BIG ? items : items.slice(0, 6);

const stepsOf = ({ world, params, query }: Asked): readonly StepView[] =>
  ofBig(params['runId'], world.steps).filter(
    (step) => has(query['status'], step.status) && holds(query['text'], step.stepId, step.tool),
  );

const historyOf = ({ world, query }: Asked): readonly HistoryEntry[] => {
  const descending = query['order'] === 'desc';
  const from = query['from'] === undefined ? null : Number(query['from']);
  const entries = world.history.filter(
    ({ seq, type, words, stepId }) =>
      has(query['type'], type) &&
      holds(query['text'], words, type) &&
      (query['step'] === undefined || query['step'] === stepId) &&
      (from === null || (descending ? seq <= from : seq >= from)),
  );
  return descending ? entries.toReversed() : entries;
};

const stateAt = ({ world, params, query }: Asked): unknown => {
  const seq = Number(query['seq'] ?? Infinity);
  const entry = world.history.findLast((one) => one.seq <= seq);
  if (entry === undefined) return null;
  return {
    runId: params['runId'],
    seq: entry.seq,
    at: entry.at,
    words: 'running, 32 steps open',
    state: {
      status: 'running',
      after: entry.seq,
      stepsSucceeded: Math.floor((entry.seq - 34_011) / 6),
      openSteps: ['document[3].file'],
    },
  };
};

const accepted: Handler = ({ params, body }) => ({
  requestId: String(body['requestId']),
  runId: params['runId'],
  outcome: 'accepted',
});

/** An answer takes its question out of the inbox. */
const answered: Handler = (asked) => {
  const { world, params, body } = asked;
  const at = world.questions.findIndex(({ seq, runId }) => seq === body['escalation'] && runId === params['runId']);
  const question = world.questions[at];
  if (question === undefined) return null;
  world.questions[at] = {
    ...question,
    status: 'answered',
    choice: String(body['choice']),
    answeredBy: 'tester',
    endedAt: Date.now(),
  };
  return accepted(asked);
};

/** What each route answers, by its id. */
export const answersOf: Readonly<Record<string, Handler>> = {
  whoAmI: ({ world }) => world.me,
  getCounters: ({ world }) => world.counters,
  listRuns: ({ world, query }) =>
    page(
      world.runs.filter(
        ({ status, reason, runId, labels, acceptedAt }) =>
          has(query['status'], status) &&
          has(query['reason'], reason) &&
          labelled(query['label'], labels) &&
          holds(query['text'], runId, ...Object.values(labels)) &&
          acceptedAt >= Number(query['acceptedFrom'] ?? 0),
      ),
      query,
    ),
  getRun: ({ world, params }) => world.detail(params['runId'] ?? ''),
  explainRun: ({ world, params }) => {
    const run = world.detail(params['runId'] ?? '');
    return run === null ? null : explanationOf(run, Date.now());
  },
  listSteps: (asked) => page(stepsOf(asked), asked.query),
  getStep: ({ world, params }) => {
    const step = world.steps.find(({ stepId }) => stepId === params['stepId']);
    return step === undefined ? null : wholeStep(step);
  },
  listAttempts: ({ world, params, query }) =>
    page(
      ofBig(params['runId'], world.attempts).filter(
        ({ stepId }) => query['step'] === undefined || stepId === query['step'],
      ),
      query,
    ),
  listEffects: ({ world, params, query }) =>
    page(
      ofBig(params['runId'], world.attempts).filter(
        ({ effect, policy }) => policy !== 'repeatable' && has(query['effect'], effect),
      ),
      query,
    ),
  listTurns: ({ world, params, query }) => page(params['runId'] === BIG ? world.turns : [], query),
  listDoubts: ({ world, query }) =>
    page(
      world.doubts.filter(
        ({ runId, endedAt }) =>
          (query['run'] === undefined || runId === query['run']) &&
          (query['open'] === undefined || (endedAt === null) === query['open']),
      ),
      query,
    ),
  listQuestions: ({ world, query }) =>
    page(
      world.questions.filter(
        ({ runId, status }) => (query['run'] === undefined || runId === query['run']) && has(query['status'], status),
      ),
      query,
    ),
  getHistory: (asked) => page(historyOf(asked), asked.query),
  getState: stateAt,
  planFork: ({ query }) => forkPlanOf(typeof query['from'] === 'string' ? query['from'] : null),
  forkRun: accepted,
  listExecutors: ({ world }) => ({ items: world.executors }),
  listLanes: ({ world }) => ({ items: world.lanes }),
  listDeadLetters: ({ world, query }) => page(world.deadLetters, query),
  getDeadLetter: ({ world, params }) => {
    const letter = world.deadLetters.find(({ id }) => id === `${params['partition']}/${params['offset']}`);
    return letter === undefined ? null : { ...letter, value: letterValue };
  },
  sendAgain: ({ params }) => ({
    id: `${params['partition']}/${params['offset']}`,
    topic: 'holdfast.run-requests',
    partition: Number(params['partition']),
    offset: 99,
    sentAgain: 2,
    sentAgainBy: 'tester',
    answer: null,
  }),
  listProjections: ({ world }) => ({
    items: world.lanes.map(({ lane, end, projected, lagRecords }) => ({
      source: 'run-events',
      partition: lane,
      nextOffset: projected,
      end,
      lagRecords,
      updatedAt: Date.now(),
    })),
    shadow: { rounds: 3, rowsCompared: 48_211, at: { lane: 3, offset: 36_411 }, differs: null },
  }),
  getHealth: ({ world }) => ({
    ready: world.reasons.length === 0,
    reasons: world.reasons,
    version: '0.1.0',
    namespace: 'holdfast',
    lanes: 12,
    details: {},
  }),
  cancelRun: accepted,
  killRun: accepted,
  pauseRun: accepted,
  resumeRun: accepted,
  steerRun: accepted,
  answerQuestion: answered,
};
