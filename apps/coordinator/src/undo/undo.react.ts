import type { LaneRequest } from '@holdfast/contracts';
import type { LiveRun, RunEventData, RunState } from '@holdfast/events';
import { depthOf } from '../children/child-names.js';
import { peopleFor } from '../run/people-for.js';
import type { Reaction } from '../run/run.react.js';
import { UNDO_STEP } from './undo.decide.js';
import { undoProgram } from './undo.plan.js';

/** The submission of the run that undoes the effects of another one. It outlives that one, and reports to it. */
export const submitUndo = (
  after: RunState,
  data: RunEventData<'CompensationStarted'>,
  seq: number,
): readonly Reaction[] => {
  if (after.status === 'ended' || after.undo?.status !== 'running' || after.undo.ticket !== data.ticket) return [];
  const made = undoProgram(after.runId, after.undo.list);
  if (made === null) return [];
  const { undoRunId: runId, ticket, deadlineAt } = data;
  const depth = depthOf(after) + 1;
  const parent = { runId: after.runId, stepId: UNDO_STEP, ticket, depth, detached: true, undo: true };
  const people = peopleFor(after, made.program);
  const request = {
    type: 'SubmitRun',
    data: { requestId: `undo ${ticket}`, runId, ...made, parent, deadlineAt, ...people, ...tenantOf(after) },
  } as LaneRequest;
  return [{ kind: 'request', home: runId, request, seq }];
};

/** Where its tenant has no more a person is asked: what is to be undone is not given up. */
const tenantOf = ({ budget: { grant } }: LiveRun) =>
  grant === null ? {} : { tenant: grant.tenant, budget: { onExhausted: 'ask' } };
