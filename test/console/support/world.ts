import type {
  AttemptView,
  Counters,
  DeadLetterView,
  DoubtEntry,
  ExecutorView,
  HistoryEntry,
  LaneView,
  Me,
  QuestionView,
  RunDetail,
  RunSummary,
  StepView,
  TurnView,
} from '@holdfast/api';
import { STEPS } from './names.js';
import { clusterParts } from './world-cluster.js';
import { doubts, questions } from './world-people.js';
import { detail, history, summaries } from './world-runs.js';
import { attempts, steps } from './world-steps.js';
import { turns } from './world-turns.js';

/** What a gateway would know. All of it is made of a number, so that each test sees the same. */
export type FixtureWorld = {
  readonly counters: Counters;
  readonly runs: readonly RunSummary[];
  readonly detail: (runId: string) => RunDetail | null;
  readonly steps: readonly StepView[];
  readonly attempts: readonly AttemptView[];
  readonly turns: readonly TurnView[];
  readonly doubts: DoubtEntry[];
  readonly questions: QuestionView[];
  readonly history: readonly HistoryEntry[];
  readonly executors: readonly ExecutorView[];
  readonly lanes: readonly LaneView[];
  readonly deadLetters: readonly DeadLetterView[];
  /** Who the gateway takes the person for, who shows nothing. */
  readonly me: Me;
  /** Why the gateway is not ready. */
  readonly reasons: readonly string[];
};

/** As where nobody is asked. */
const anybody: Me = {
  authentication: 'none',
  principal: { id: 'api', roles: ['admin'], via: 'anonymous', expiresAt: null },
  signIn: { tokens: false, oidc: null },
};

export const fullWorld = (now: number): FixtureWorld => {
  const runs = summaries(now, 320);
  const count = (status: string): number => runs.filter((run) => run.status === status).length;
  const statuses = ['running', 'waiting', 'recovering', 'paused', 'cancelling', 'closing', 'ended'];
  const asked = questions(now);
  const doubted = doubts(now);
  return {
    counters: {
      runs: Object.fromEntries(statuses.map((status) => [status, count(status)])),
      doubtsOpen: doubted.filter(({ endedAt }) => endedAt === null).length,
      questionsOpen: asked.filter(({ status }) => status === 'open').length,
      deadLetters: 3,
    },
    runs,
    detail: (runId) => detail(runs, runId, now),
    steps: steps(now, STEPS),
    attempts: attempts(now, STEPS),
    turns: turns(now),
    doubts: doubted,
    questions: asked,
    history: history(now, 2_400),
    ...clusterParts(now),
    me: anybody,
    reasons: [],
  };
};

export const emptyWorld = (): FixtureWorld => ({
  counters: { runs: {}, doubtsOpen: 0, questionsOpen: 0, deadLetters: 0 },
  runs: [],
  detail: () => null,
  steps: [],
  attempts: [],
  turns: [],
  doubts: [],
  questions: [],
  history: [],
  executors: [],
  lanes: [],
  deadLetters: [],
  me: anybody,
  reasons: [],
});
