import { opened } from '@holdfast/programs';
import { applyStopAnswered } from '../budget/budget.evolve.js';
import { Defect, unreachable } from '../defect.js';
import { DEFAULTS, LIMITS } from '../limits.js';
import type { escalationEventSchemas } from './escalation.events.js';
import type { RunEvent, RunEventData } from './run.events.js';
import { mustHaveStep, openStep, withStep } from './run.parts.js';
import type { Approval, ClosedQuestion, Escalation } from './escalation.state.js';
import type { LiveRun, StepState } from './run.state.js';

type Told = Extract<RunEvent, { type: (typeof escalationEventSchemas)[number]['shape']['type']['value'] }>;

/** The run after an event about what people are asked, or what they say. */
export const evolveEscalation = (run: LiveRun, event: Told, seq: number): LiveRun => {
  switch (event.type) {
    case 'EscalationOpened':
      return applyEscalationOpened(run, event.data, seq);
    case 'EscalationReminded':
      return applyEscalationReminded(run, event.data);
    case 'EscalationAnswered':
      return applyEscalationAnswered(run, event.data);
    case 'EscalationExpired':
      return applyEscalationExpired(run, event.data);
    case 'ApprovalVoided':
      return applyApprovalVoided(run, event.data);
    default:
      return unreachable(event);
  }
};

const applyEscalationOpened = (run: LiveRun, data: RunEventData<'EscalationOpened'>, seq: number): LiveRun => {
  const { stepId, attempt, kind, doubtSeq, question, choices, expiresAt } = data;
  const openedAt = data.openedAt ?? null;
  const escalation: Escalation = {
    seq,
    stepId,
    attempt,
    kind,
    doubtSeq,
    question,
    choices,
    expiresAt,
    expired: false,
    openedAt,
    assignees: data.assignees ?? [],
    remindEveryMs: data.remindEveryMs ?? null,
    schema: data.schema ?? null,
    onSilence: data.onSilence ?? 'end',
    approves: data.approves ?? null,
    usableMs: data.usableMs ?? DEFAULTS.approvalMs,
    reminded: { nth: 0, at: openedAt ?? 0 },
  };
  return { ...begunBy(run, data), escalations: { ...run.escalations, [seq]: escalation } };
};

/** A step begins with its question, or with the question whether its call may be made. */
const begunBy = (run: LiveRun, { kind, stepId, approves }: RunEventData<'EscalationOpened'>): LiveRun => {
  const begins = kind === 'question' || (kind === 'approval' && openStep(run, stepId) === undefined);
  if (!begins) return run;
  const next = { ...run, progress: opened(run.program, run.input, run.progress, stepId), waiting: null };
  return approves == null ? next : withStep(next, unscheduled(run, stepId, approves.tool));
};

const unscheduled = (run: LiveRun, stepId: string, tool: string): StepState => {
  const pin = run.tools[tool];
  if (pin === undefined) throw new Defect(`run ${run.runId} has no tool ${tool} to be approved`);
  return {
    stepId,
    tool,
    policy: pin.policy,
    nextAttempt: 0,
    tries: 0,
    deaths: 0,
    attempts: [],
    dueAt: null,
    firstIssueAt: 0,
    doubt: null,
  };
};

const applyEscalationReminded = (run: LiveRun, data: RunEventData<'EscalationReminded'>): LiveRun => {
  const escalation = mustBeOpen(run, data.escalationSeq);
  const reminded = { nth: data.nth, at: data.at };
  return { ...run, escalations: { ...run.escalations, [escalation.seq]: { ...escalation, reminded } } };
};

const applyEscalationAnswered = (run: LiveRun, data: RunEventData<'EscalationAnswered'>): LiveRun => {
  const escalation = mustBeOpen(run, data.escalationSeq);
  const next = withoutEscalation(run, escalation.seq);
  if (escalation.kind === 'budget' || escalation.kind === 'loop') return applyStopAnswered(next, data.choice);
  const step = openStep(run, escalation.stepId);
  if (step === undefined) return next;
  if (escalation.kind === 'approval') {
    return data.choice === 'approve' ? withStep(next, { ...step, approval: given(escalation, data) }) : next;
  }
  if (data.choice !== 'retry') return next;
  // A person who says "again" gives the step all its tries anew.
  return withStep(next, { ...step, tries: 0, deaths: 0, dueAt: null });
};

const given = ({ seq, approves, usableMs }: Escalation, data: RunEventData<'EscalationAnswered'>): Approval => {
  if (approves === null) throw new Defect(`question ${seq} names no call that could be approved`);
  return { ...approves, seq, usableUntil: (data.givenAt ?? 0) + usableMs };
};

/** The approval is no longer good, or what it is asked for has changed. */
const applyApprovalVoided = (run: LiveRun, { stepId, approvalSeq }: RunEventData<'ApprovalVoided'>): LiveRun => {
  const step = mustHaveStep(run, stepId);
  const { approval, ...rest } = step;
  if (approval?.seq === approvalSeq) return withStep(run, rest);
  return withoutEscalation(run, mustBeOpen(run, approvalSeq).seq);
};

/** An approval is used for the call that it was given for, or the history is not one. */
export const checkApprovalUsed = (run: LiveRun, data: RunEventData<'StepScheduled'>): void => {
  if (data.approvalSeq === undefined) return;
  const approval = openStep(run, data.stepId)?.approval;
  const { stepId, tool, argsHash } = data;
  const same = approval?.seq === data.approvalSeq && approval.tool === tool && approval.argsHash === argsHash;
  if (same && approval.toolHash === run.tools[tool]?.hash) return;
  throw new Defect(`${stepId} of run ${run.runId} was scheduled under the approval of another call`);
};

const applyEscalationExpired = (run: LiveRun, data: RunEventData<'EscalationExpired'>): LiveRun => {
  const escalation = mustBeOpen(run, data.escalationSeq);
  if (escalation.doubtSeq === null) return withoutEscalation(run, escalation.seq);
  // The run ends, but its doubt can still be answered.
  return { ...run, escalations: { ...run.escalations, [escalation.seq]: { ...escalation, expired: true } } };
};

export const withoutEscalation = (run: LiveRun, seq: number): LiveRun => {
  const { [seq]: _, ...escalations } = run.escalations;
  return { ...run, escalations };
};

export const mustBeOpen = (run: LiveRun, seq: number): Escalation => {
  const escalation = run.escalations[seq];
  if (escalation === undefined) throw new Defect(`run ${run.runId} has no open escalation ${seq}`);
  return escalation;
};

/** Keeps in mind how the questions ended that an event has closed. */
export const noteClosed = (before: LiveRun, after: LiveRun, event: RunEvent): LiveRun => {
  if (after.escalations === before.escalations) return after;
  const gone = Object.values(before.escalations).filter(({ seq }) => !Object.hasOwn(after.escalations, seq));
  if (gone.length === 0) return after;
  const closed = gone.map((escalation) => closedBy(escalation, event));
  return { ...after, closedQuestions: [...after.closedQuestions, ...closed].slice(-LIMITS.answeredMax) };
};

const closedBy = ({ seq, stepId, expiresAt }: Escalation, { type, data }: RunEvent): ClosedQuestion => {
  if (type === 'EscalationAnswered' && data.escalationSeq === seq) {
    const { choice, principal, givenAt } = data;
    return { seq, stepId, how: 'answered', choice, principal, at: givenAt ?? null };
  }
  if (type === 'EscalationExpired') return { seq, stepId, how: 'expired', at: expiresAt };
  return { seq, stepId, how: 'withdrawn' };
};
