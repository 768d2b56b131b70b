import { routes, runStatusSchema, type RunDetail, type RunSummary } from '@holdfast/api';
import { endReasonSchema, runIdSchema } from '@holdfast/events';
import { z } from 'zod';
import { given } from './ask.js';
import { clip, clipOrNull, partOf, partSchema, type Part } from './bounds.js';
import { tool } from './tool.js';

export const runId = runIdSchema.describe('the id of the run, as whoever submitted it has chosen it');
export const cursor = z
  .string()
  .max(4_000)
  .optional()
  .describe('`next` of the page before, for the same list with the same filters');
const MOMENTS = 'Moments are epoch milliseconds.';
const at = z.int();

const summarySchema = z.object({
  runId: z.string(),
  status: runStatusSchema.describe(
    '`ended`: it is over, and `reason` says how; `waiting`: for a person or an executor',
  ),
  reason: endReasonSchema.nullable(),
  labels: z.record(z.string(), z.string()),
  submittedBy: z.string().nullable(),
  acceptedAt: at,
  updatedAt: at,
  deadlineAt: at,
  endedAt: at.nullable(),
  stepsOpen: z.int(),
  stepsSucceeded: z.int(),
  stepsFailed: z.int(),
  effectsApplied: z.int(),
  doubtsOpen: z.int().describe('effects of which nobody knows yet whether they were made'),
  escalationsOpen: z.int().describe('questions to people; list_escalations shows them'),
  waitingFor: z.string().nullable(),
});

const LABELS = 8;
const summaryOf = (run: RunSummary): z.infer<typeof summarySchema> => ({
  runId: run.runId,
  status: run.status,
  reason: run.reason,
  labels: Object.fromEntries(
    Object.entries(run.labels)
      .slice(0, LABELS)
      .map(([name, value]) => [name, clip(value, 60)]),
  ),
  submittedBy: run.principal,
  acceptedAt: run.acceptedAt,
  updatedAt: run.updatedAt,
  deadlineAt: run.deadlineAt,
  endedAt: run.endedAt,
  stepsOpen: run.stepsOpen,
  stepsSucceeded: run.stepsSucceeded,
  stepsFailed: run.stepsFailed,
  effectsApplied: run.effectsApplied,
  doubtsOpen: run.doubtsOpen,
  escalationsOpen: run.questionsOpen,
  waitingFor: clipOrNull(run.waitingFor, 300),
});

export const listRuns = tool({
  name: 'list_runs',
  title: 'List runs',
  description: `Finds runs, the latest first. Filters of different kinds must all hold. ${MOMENTS}`,
  route: routes.listRuns,
  input: z.strictObject({
    status: z.array(runStatusSchema).optional().describe('one of these'),
    label: z.array(z.string().max(700)).max(16).optional().describe('`key=value`, all of these'),
    text: z.string().max(200).optional().describe('part of a run id, of a label or of the reason of an end'),
    limit: z.int().min(1).max(20).default(10),
    cursor,
  }),
  output: z.object({ runs: z.array(summarySchema), next: z.string().nullable() }),
  run: async (ask, filters) => {
    const { items, next } = await ask(routes.listRuns, { query: given(filters) });
    return { runs: items.map(summaryOf), next };
  },
});

const CHILDREN = 10;
const stopped = z.object({ reason: z.string(), by: z.string().nullable() }).nullable();
const detailSchema = summarySchema.extend({
  detail: z.string().nullable().describe('why it ended, in words'),
  output: partSchema,
  input: partSchema,
  program: partSchema,
  report: partSchema.describe('what became of every effect'),
  budgets: z.array(
    z.object({ kind: z.string(), used: z.string(), limit: z.string().nullable(), left: z.string().nullable() }),
  ),
  cancel: stopped,
  paused: stopped,
  children: z.array(z.string()).describe('runs that it has begun: the first ones'),
  childrenTotal: z.int(),
});

const because = (why: RunDetail['paused'] | RunDetail['cancel']) =>
  why === null ? null : { reason: clip(why.reason, 500), by: why.by };

export const getRun = tool({
  name: 'get_run',
  title: 'Look at a run',
  description:
    'Shows one run: how it stands, its program, input, output, what it may use, and the report of its effects. Its size ' +
    'is bounded however long the run is: steps are shown by list_steps, and what is `omitted` is read by read_part. ' +
    `Call it again to see how a run goes on; explain_run says why one does not. ${MOMENTS}`,
  route: routes.getRun,
  input: z.strictObject({ runId }),
  output: detailSchema,
  run: async (ask, { runId: id }) => {
    const run = await ask(routes.getRun, { params: { runId: id } });
    const part = (name: Part, value: unknown, most: number) => partOf(value, most, { part: name, runId: id });
    return {
      ...summaryOf(run),
      detail: clipOrNull(run.detail, 2_000),
      output: part('output', run.output, 10_000),
      input: part('input', run.input, 4_000),
      program: part('program', run.program, 8_000),
      report: part('report', run.report, 6_000),
      budgets: run.budgets,
      cancel: because(run.cancel),
      paused: because(run.paused),
      children: run.children.slice(0, CHILDREN),
      childrenTotal: run.children.length,
    };
  },
});

const LINES = 24;

export const explainRun = tool({
  name: 'explain_run',
  title: 'Explain a run',
  description:
    'Says in words why a run does not move and what it waits for, what it did to the world, what it cost, and what ' +
    'would happen if it were cancelled, resumed or submitted anew now. Read it before you cancel anything.',
  route: routes.explainRun,
  input: z.strictObject({ runId }),
  output: z.object({
    runId: z.string(),
    headline: z.string(),
    parts: z.array(
      z.object({ about: z.string(), title: z.string(), lines: z.array(z.string()), linesLeftOut: z.int() }),
    ),
  }),
  run: async (ask, { runId: id }) => {
    const { headline, parts } = await ask(routes.explainRun, { params: { runId: id } });
    return {
      runId: id,
      headline: clip(headline, 1_000),
      parts: parts.map(({ about, title, lines }) => ({
        about,
        title,
        lines: lines.slice(0, LINES).map((line) => clip(line, 300)),
        linesLeftOut: Math.max(0, lines.length - LINES),
      })),
    };
  },
});
