import { escalationOf, type KnownChoice, type StepState } from '@holdfast/events';
import { askPerson } from './ask.decide.js';
import { isLeftToACall, pinOf } from './attempts.js';
import { liveRun, type RunDraft } from './draft.js';
import type { Env } from './env.js';

type Kind = 'doubt' | 'quarantine' | 'exhausted';

const offered: Readonly<Record<Kind, readonly KnownChoice[]>> = {
  doubt: ['applied', 'absent', 'fail'],
  quarantine: ['retry', 'fail'],
  exhausted: ['retry', 'fail'],
};

/** Asks a person, once per step, and answers how many scheduled steps that weighs. The default on silence never is "go on": the run ends `escalation_expired`. */
export const openEscalation = (draft: RunDraft, step: StepState, kind: Kind, env: Env): number => {
  const run = liveRun(draft);
  if (run === undefined || escalationOf(run, step.stepId) !== undefined) return 0;
  const inDoubt = step.doubt !== null;
  const asked = {
    stepId: step.stepId,
    attempt: step.doubt?.attempt ?? Math.max(0, step.nextAttempt - 1),
    kind,
    doubtSeq: step.doubt?.seq ?? null,
    question: question(step, kind),
    // A step in doubt is never simply run again, whatever the reason for asking.
    choices: [...(inDoubt ? offered.doubt : offered[kind])],
  };
  return askPerson(draft, asked, env);
};

const question = (step: StepState, kind: Kind): string => {
  switch (kind) {
    case 'doubt':
      return `Did ${step.tool} act for step ${step.stepId}? It may have, and it cannot be found out by machine.`;
    case 'quarantine':
      return `Step ${step.stepId} (${step.tool}) lost its worker ${step.deaths > 0 ? `${step.deaths} times` : 'again and again'}. Run it again, or give it up?`;
    case 'exhausted':
      return `Step ${step.stepId} (${step.tool}) was tried ${step.tries} times without effect. Run it again, or give it up?`;
  }
};

/**
 * What a person must settle: doubts that nobody can be asked about, or about which asking has led nowhere. Answers
 * whether all were looked at within `eventsMax` events.
 */
export const escalateDoubts = (draft: RunDraft, env: Env, eventsMax: number): boolean => {
  const run = liveRun(draft);
  if (run === undefined) return true;
  const before = draft.events.length;
  for (const step of run.steps) {
    const { doubt } = step;
    if (doubt === null || step.attempts.some((attempt) => attempt.status !== 'doubtful')) continue;
    // While it can be settled by a call nobody is woken, even if no executor is there to make it.
    if (isLeftToACall(env, run, step)) continue;
    const askable = step.policy !== 'unprotected' && pinOf(run, step).verify;
    const due = askable ? doubt.settleBy : doubt.settledAt;
    const over = env.now >= due || (askable && doubt.probes >= env.settings.probesMax && env.now >= doubt.settledAt);
    if (over) openEscalation(draft, step, 'doubt', env);
    if (draft.events.length - before >= eventsMax) return false;
  }
  return true;
};
