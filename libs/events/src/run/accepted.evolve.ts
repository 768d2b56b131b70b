import { approvalRulesOf, begin, type Json } from '@holdfast/programs';
import { noBudget } from '../budget/budget.evolve.js';
import type { Grant } from '../budget/budget.state.js';
import type { Limits } from '../budget/limits.js';
import type { RunEventData } from './run.events.js';
import { emptyTally, type LiveRun } from './run.state.js';
import { undoOf } from './undo.js';

/** A run as it begins. */
export const accepted = (data: RunEventData<'RunAccepted'>, acceptedSeq: number): LiveRun => ({
  status: 'running',
  runId: data.runId,
  requestId: data.requestId,
  requestHash: data.requestHash,
  acceptedSeq,
  labels: data.labels,
  runKey: data.runKey,
  program: data.program,
  input: data.input as Json,
  tools: data.tools,
  acceptedAt: data.acceptedAt,
  deadlineAt: data.deadlineAt,
  approvals: approvalRulesOf(data.approvals, data.program.approvals),
  asking: { ...data.program.escalations, ...data.escalations },
  progress: data.fork?.progress ?? begin(data.program, data.input as Json),
  steps: [],
  escalations: {},
  closedQuestions: [],
  cancel: null,
  paused: null,
  waiting: null,
  concluded: {},
  spent: {},
  budget: { ...noBudget, limits: data.limits ?? null, given: givenOf(data), grant: grantOf(data) },
  loop: data.loops === undefined ? null : { ...data.loops, calls: [], warned: [] },
  report: emptyTally,
  concurrency: data.concurrency === undefined ? null : { ...data.concurrency, status: 'asked' },
  validUntil: data.validUntil ?? null,
  parent: data.parent ?? null,
  ...(data.trace === undefined ? {} : { trace: data.trace }),
  children: [],
  undo: undoOf(data),
  failure: null,
  end: null,
});

/** A run that undoes effects is begun without anything that is reserved for it. */
const givenOf = ({ parent, limits }: RunEventData<'RunAccepted'>): Limits | null =>
  parent === undefined || parent.undo === true ? null : (limits ?? null);

const grantOf = ({ tenant }: RunEventData<'RunAccepted'>): Grant | null =>
  tenant === undefined
    ? null
    : { tenant, ask: 0, open: false, askedAt: 0, wanted: {}, total: null, denied: null, elsewhere: {} };
