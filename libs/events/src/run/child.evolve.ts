import { failed, left, opened, succeeded, type Json } from '@holdfast/programs';
import { addAmounts } from '../budget/amounts.js';
import { countElsewhere } from '../budget/elsewhere.js';
import { settleReserved } from '../budget/reserve.js';
import { Defect } from '../defect.js';
import type { RunEventData } from './run.events.js';
import type { ChildRun, LiveRun } from './run.state.js';
import { tellOfRun } from './agent.evolve.js';
import { noteFailure, whyOf } from './settling.js';
import { noteBelow } from './undo.js';

/** The child that is under way under an id. */
export const childOf = (run: LiveRun | undefined, childRunId: string): ChildRun | undefined =>
  run?.children.find((child) => child.childRunId === childRunId);

export const applyChildStarted = (run: LiveRun, data: RunEventData<'ChildStarted'>): LiveRun => {
  const { stepId, childRunId, ticket, depth, detached, deadlineAt, waitUntil, reserved = {} } = data;
  const waiting = [{ stepId, until: waitUntil ?? null }];
  const begun = { status: 'asked', stopped: false, waiting } as const;
  const granted = data.tenant !== undefined;
  const child: ChildRun = { childRunId, ticket, depth, detached, deadlineAt, reserved, granted, ...begun };
  const billed = granted ? countElsewhere(run, {}, reserved) : run;
  return { ...open(billed, stepId), children: [...run.children, child], spent: addAmounts(run.spent, reserved) };
};

export const applyChildAttached = (run: LiveRun, data: RunEventData<'ChildAttached'>): LiveRun => {
  const { stepId, childRunId, waitUntil } = data;
  const next = open(run, stepId);
  return change(next, childRunId, (child) => ({
    ...child,
    waiting: [...child.waiting, { stepId, until: waitUntil ?? null }],
  }));
};

export const applyChildAccepted = (run: LiveRun, { childRunId }: RunEventData<'ChildAccepted'>): LiveRun =>
  change(run, childRunId, (child) => ({ ...child, status: 'running' }));

export const applyChildLeft = (run: LiveRun, { stepId, childRunId }: RunEventData<'ChildLeft'>): LiveRun => {
  const next = change(run, childRunId, (child) => ({
    ...child,
    waiting: child.waiting.filter((waits) => waits.stepId !== stepId),
  }));
  return counted(next, left(next.program, next.input, next.progress, stepId, childRunId));
};

/** Every step that waits for the child ends as it has ended. */
export const applyChildEnded = (run: LiveRun, data: RunEventData<'ChildEnded'>): LiveRun => {
  const child = mustHaveChild(run, data.childRunId);
  const used = data.used ?? child.reserved;
  const billed = child.granted ? countElsewhere(run, child.reserved, used) : run;
  const spent = settleReserved(run.spent, child.reserved, used);
  const rest: LiveRun = {
    ...billed,
    spent,
    undo: noteBelow(run, data),
    children: run.children.filter((known) => known !== child),
  };
  // Once the run has ended its plan no longer moves; what the child has used is known better.
  if (run.end !== null) return rest;
  return child.waiting.reduce(
    (next, { stepId }) =>
      data.reason === 'succeeded'
        ? done(next, stepId, (data.output ?? null) as Json)
        : noteFailure(gone(next, stepId, whyOf({ code: `child_${data.reason}`, message: data.detail })), {
            stepId,
            code: `child_${data.reason}`,
            message: data.detail,
          }),
    tellOfRun(rest, data),
  );
};

export const applyChildrenStopped = (run: LiveRun, data: RunEventData<'ChildrenStopped'>): LiveRun => {
  const stopped = new Set(data.children.map(({ runId }) => runId));
  const children = run.children.map((child) =>
    stopped.has(child.childRunId) ? { ...child, stopped: true, deadlineAt: data.deadlineAt } : child,
  );
  return { ...run, children };
};

const open = (run: LiveRun, stepId: string): LiveRun => ({
  ...run,
  progress: opened(run.program, run.input, run.progress, stepId),
  waiting: null,
});

const done = (run: LiveRun, stepId: string, result: Json): LiveRun =>
  counted(run, succeeded(run.program, run.input, run.progress, stepId, result));

const counted = (run: LiveRun, progress: LiveRun['progress']): LiveRun => ({
  ...run,
  progress,
  report: { ...run.report, stepsSucceeded: run.report.stepsSucceeded + 1 },
});

const gone = (run: LiveRun, stepId: string, why: string): LiveRun => ({
  ...run,
  progress: failed(run.program, run.input, run.progress, stepId, why),
  report: { ...run.report, stepsFailed: run.report.stepsFailed + 1 },
});

const change = (run: LiveRun, childRunId: string, how: (child: ChildRun) => ChildRun): LiveRun => {
  const child = mustHaveChild(run, childRunId);
  return { ...run, children: run.children.map((known) => (known === child ? how(child) : known)) };
};

const mustHaveChild = (run: LiveRun, childRunId: string): ChildRun => {
  const child = childOf(run, childRunId);
  if (child === undefined) throw new Defect(`run ${run.runId} has no child ${childRunId} under way`);
  return child;
};
