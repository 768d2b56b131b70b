import { z } from 'zod';
import {
  deadLetterPageSchema,
  deadLetterSchema,
  deadLettersQuerySchema,
  executorsSchema,
  healthSchema,
  lanesSchema,
  projectionsSchema,
  rebuildSchema,
  sendAgainBodySchema,
  sentAgainSchema,
  toolPageSchema,
  toolsQuerySchema,
} from '../cluster.js';
import { liveEventSchema } from '../requests.js';
import { ofDeadLetter, ofRun } from './params.js';
import { route } from './route.js';

const ok = <S extends z.ZodType>(says: string, body: S) => ({ 200: { says, body } }) as const;
const RESUMED =
  'Server-sent events, one for each record of history. `Last-Event-ID` goes on after the event of that id; without it ' +
  '`from` says where to begin: `start`, or `now` (the default).';
const live = { 200: { says: 'A stream of events', body: liveEventSchema, media: 'text/event-stream' } } as const;
const liveQuery = z.strictObject({ from: z.enum(['start', 'now']).default('now') });

export const liveRoutes = {
  watchRun: route({
    id: 'watchRun',
    role: 'viewer',
    method: 'GET',
    path: '/v1/runs/{runId}/live',
    tag: 'live',
    summary: 'What happens in a run, as it happens',
    description: RESUMED,
    params: ofRun,
    query: liveQuery,
    answers: live,
    problems: [404, 503],
  }),
  watchAll: route({
    id: 'watchAll',
    role: 'viewer',
    method: 'GET',
    path: '/v1/live',
    tag: 'live',
    summary: 'What happens in all runs, as it happens',
    description: RESUMED,
    query: liveQuery,
    answers: live,
    problems: [503],
  }),
} as const;

/** What is behind the runs: executors, lanes, dead letters, and how far the database is. */
export const clusterRoutes = {
  listExecutors: route({
    id: 'listExecutors',
    role: 'viewer',
    method: 'GET',
    path: '/v1/executors',
    tag: 'cluster',
    summary: 'Executors, what they serve and whether they live',
    answers: ok('All that were heard of lately', executorsSchema),
  }),
  listTools: route({
    id: 'listTools',
    role: 'viewer',
    method: 'GET',
    path: '/v1/tools',
    tag: 'cluster',
    summary: 'The tools that steps may call, with the schemas of their arguments and results',
    query: toolsQuerySchema.strict(),
    answers: ok('One page of tools, by their names', toolPageSchema),
    problems: [503],
  }),
  listLanes: route({
    id: 'listLanes',
    role: 'viewer',
    method: 'GET',
    path: '/v1/lanes',
    tag: 'cluster',
    summary: 'Lanes: who owns them, and how far those that read them are',
    answers: ok('All lanes', lanesSchema),
    problems: [503],
  }),
  listDeadLetters: route({
    id: 'listDeadLetters',
    role: 'viewer',
    method: 'GET',
    path: '/v1/dead-letters',
    tag: 'cluster',
    summary: 'Records that nobody could read, the latest first',
    query: deadLettersQuerySchema.strict(),
    answers: ok('One page of dead letters', deadLetterPageSchema),
  }),
  getDeadLetter: route({
    id: 'getDeadLetter',
    role: 'viewer',
    method: 'GET',
    path: '/v1/dead-letters/{partition}/{offset}',
    tag: 'cluster',
    summary: 'One dead letter with its bytes',
    params: ofDeadLetter,
    answers: ok('The dead letter', deadLetterSchema),
    problems: [404, 503],
  }),
  sendAgain: route({
    id: 'sendAgain',
    role: 'operator',
    method: 'POST',
    path: '/v1/dead-letters/{partition}/{offset}/send-again',
    tag: 'cluster',
    summary: 'Put a dead letter into its topic again, as it was',
    description:
      'Only requests may be sent again: their coordinator knows by the request id what it has done already, and then ' +
      'changes nothing. Each time is kept with who has asked for it.',
    params: ofDeadLetter,
    body: sendAgainBodySchema,
    answers: ok('It is in its topic again', sentAgainSchema),
    problems: [404, 409, 413, 415, 503],
  }),
  listProjections: route({
    id: 'listProjections',
    role: 'viewer',
    method: 'GET',
    path: '/v1/projections',
    tag: 'cluster',
    summary: 'How far the database is, and whether it says what the log says',
    answers: ok('One entry for each partition that is projected', projectionsSchema),
  }),
  rebuildProjections: route({
    id: 'rebuildProjections',
    role: 'admin',
    method: 'POST',
    path: '/v1/projections/rebuild',
    tag: 'cluster',
    summary: 'Empty the tables and make them anew out of the log',
    answers: { 202: { says: 'It has begun', body: rebuildSchema } },
    problems: [503],
  }),
  getHealth: route({
    id: 'getHealth',
    role: 'viewer',
    method: 'GET',
    path: '/v1/health',
    tag: 'cluster',
    summary: 'Whether this gateway can work, and why not',
    answers: { ...ok('It can', healthSchema), 503: { says: 'It can not, for these reasons', body: healthSchema } },
  }),
  getOpenApi: route({
    id: 'getOpenApi',
    role: 'anyone',
    method: 'GET',
    path: '/v1/openapi.json',
    tag: 'api',
    summary: 'This document',
    answers: ok('OpenAPI 3.1', z.record(z.string(), z.unknown())),
  }),
} as const;
