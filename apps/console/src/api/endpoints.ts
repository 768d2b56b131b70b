import {
  PAGE_MAX,
  pathOf,
  routes,
  type AttemptView,
  type Counters,
  type DeadLetterView,
  type DoubtEntry,
  type ExecutorView,
  type ForkPlan,
  type HistoryEntry,
  type LaneView,
  type Me,
  type QuestionView,
  type RunSummary,
  type StepView,
  type TurnView,
} from '@holdfast/api';
import type { z } from 'zod';
import { pathWith, type QueryValue } from './query-string.js';

/** A question to the gateway: under which key the answer is kept, where it is asked, what the answer must be. */
export type Endpoint<T> = { readonly key: readonly unknown[]; readonly path: string; readonly schema: z.ZodType<T> };
export type Page<T> = { readonly items: T[]; readonly next?: string | null };
export type Query = Readonly<Record<string, QueryValue>>;

type Known = typeof routes;
type Readable = {
  [K in keyof Known]: Known[K] extends { answers: { 200: { body: z.ZodType } } } ? K : never;
}[keyof Known];
type Params = Readonly<Record<string, string | number>>;
type Asked<T> = { readonly key: readonly unknown[]; readonly params?: Params; readonly query?: Query; readonly as?: T };

/** The path and the schema of an answer stand in the route table that the gateway is made of, and nowhere else. */
const of = <T>(id: Readable, { key, params = {}, query = {} }: Asked<T>): Endpoint<T> => {
  const route = routes[id];
  const { body } = (route.answers as { readonly 200: { readonly body: z.ZodType } })[200];
  return { key, path: pathWith(pathOf(route, params), query), schema: body as z.ZodType<T> };
};

type Body<K extends Readable> = Known[K] extends { answers: { 200: { body: infer S extends z.ZodType } } }
  ? z.output<S>
  : never;
const LARGE = { limit: PAGE_MAX } as const;
const run = (runId: string, part: string, ...rest: readonly unknown[]): readonly unknown[] => [
  'run',
  runId,
  part,
  ...rest,
];

export const endpoints = {
  me: () => of<Me>('whoAmI', { key: ['me'] }),
  counters: () => of<Counters>('getCounters', { key: ['counters'] }),
  health: () => of<Body<'getHealth'>>('getHealth', { key: ['health'] }),
  runs: (query: Query) => of<Page<RunSummary>>('listRuns', { key: ['runs', query], query: { ...query, limit: 100 } }),
  run: (runId: string) => of<Body<'getRun'>>('getRun', { key: run(runId, 'detail'), params: { runId } }),
  explain: (runId: string) => of<Body<'explainRun'>>('explainRun', { key: run(runId, 'explain'), params: { runId } }),
  steps: (runId: string, query: Query = {}) =>
    of<Page<StepView>>('listSteps', {
      key: run(runId, 'steps', query),
      params: { runId },
      query: { ...query, ...LARGE },
    }),
  step: (runId: string, stepId: string) =>
    of<StepView>('getStep', { key: run(runId, 'step', stepId), params: { runId, stepId } }),
  attempts: (runId: string, query: Query = {}) =>
    of<Page<AttemptView>>('listAttempts', {
      key: run(runId, 'attempts', query),
      params: { runId },
      query: { ...query, ...LARGE },
    }),
  effects: (runId: string, query: Query = {}) =>
    of<Page<AttemptView>>('listEffects', {
      key: run(runId, 'effects', query),
      params: { runId },
      query: { ...query, ...LARGE },
    }),
  turns: (runId: string, query: Query = {}) =>
    of<Page<TurnView>>('listTurns', { key: run(runId, 'turns', query), params: { runId }, query }),
  history: (runId: string, query: Query = {}) =>
    of<Page<HistoryEntry>>('getHistory', {
      key: run(runId, 'history', query),
      params: { runId },
      query: { limit: 100, ...query },
    }),
  state: (runId: string, seq: number) =>
    of<Body<'getState'>>('getState', { key: run(runId, 'state', seq), params: { runId }, query: { seq } }),
  fork: (runId: string, from: string) =>
    of<ForkPlan>('planFork', { key: run(runId, 'fork', from), params: { runId }, query: { from } }),
  runDoubts: (runId: string) =>
    of<Page<DoubtEntry>>('listDoubts', { key: run(runId, 'doubts'), query: { run: runId, ...LARGE } }),
  doubts: (query: Query = {}) =>
    of<Page<DoubtEntry>>('listDoubts', { key: ['doubts', query], query: { ...query, limit: 100 } }),
  questions: (query: Query = {}) =>
    of<Page<QuestionView>>('listQuestions', { key: ['questions', query], query: { ...query, limit: 50 } }),
  executors: () => of<Page<ExecutorView>>('listExecutors', { key: ['executors'] }),
  lanes: () => of<Page<LaneView>>('listLanes', { key: ['lanes'] }),
  projections: () => of<Body<'listProjections'>>('listProjections', { key: ['projections'] }),
  deadLetters: (query: Query = {}) =>
    of<Page<DeadLetterView>>('listDeadLetters', { key: ['dead-letters', query], query: { ...query, limit: 100 } }),
  deadLetter: (id: string) =>
    of<DeadLetterView>('getDeadLetter', { key: ['dead-letter', id], params: letterParams(id) }),
} as const;

/** `partition/offset`. */
const letterParams = (id: string): Params => {
  const [partition = '', offset = ''] = id.split('/');
  return { partition, offset };
};

const action = (
  id: 'forkRun' | 'cancelRun' | 'killRun' | 'pauseRun' | 'resumeRun' | 'steerRun' | 'answerQuestion',
  runId: string,
) => pathOf(routes[id], { runId });

/** Where a change is asked for. */
export const changes = {
  cancel: (runId: string) => action('cancelRun', runId),
  kill: (runId: string) => action('killRun', runId),
  pause: (runId: string) => action('pauseRun', runId),
  resume: (runId: string) => action('resumeRun', runId),
  steer: (runId: string) => action('steerRun', runId),
  answer: (runId: string) => action('answerQuestion', runId),
  fork: (runId: string) => action('forkRun', runId),
  sendAgain: (id: string) => pathOf(routes.sendAgain, letterParams(id)),
} as const;
