import { Defect } from '../defect.js';
import type { RunEventData } from './run.events.js';
import { openStep, withStep } from './run.parts.js';
import type { Escalation, LiveRun } from './run.state.js';

export const applyEscalationOpened = (run: LiveRun, data: RunEventData<'EscalationOpened'>, seq: number): LiveRun => {
  const { stepId, attempt, kind, doubtSeq, question, choices, expiresAt } = data;
  const escalation: Escalation = { seq, stepId, attempt, kind, doubtSeq, question, choices, expiresAt, expired: false };
  return { ...run, escalations: { ...run.escalations, [seq]: escalation } };
};

export const applyEscalationAnswered = (run: LiveRun, data: RunEventData<'EscalationAnswered'>): LiveRun => {
  const escalation = mustBeOpen(run, data.escalationSeq);
  const { [escalation.seq]: _, ...escalations } = run.escalations;
  const next = { ...run, escalations };
  const step = openStep(run, escalation.stepId);
  if (data.choice !== 'retry' || step === undefined) return next;
  // A person who says "again" gives the step all its tries anew.
  return withStep(next, { ...step, tries: 0, deaths: 0, dueAt: null });
};

export const applyEscalationExpired = (run: LiveRun, data: RunEventData<'EscalationExpired'>): LiveRun => {
  const escalation = mustBeOpen(run, data.escalationSeq);
  if (escalation.doubtSeq === null) {
    const { [escalation.seq]: _, ...escalations } = run.escalations;
    return { ...run, escalations };
  }
  // The run ends, but its doubt can still be answered.
  return { ...run, escalations: { ...run.escalations, [escalation.seq]: { ...escalation, expired: true } } };
};

const mustBeOpen = (run: LiveRun, seq: number): Escalation => {
  const escalation = run.escalations[seq];
  if (escalation === undefined) throw new Defect(`run ${run.runId} has no open escalation ${seq}`);
  return escalation;
};
