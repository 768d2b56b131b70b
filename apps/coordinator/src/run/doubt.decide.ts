import {
  hasEffect,
  runEvent,
  type Attempt,
  type Evidence,
  type LiveRun,
  type RunEventData,
  type StepState,
} from '@holdfast/events';
import { nodeSettings, type Json } from '@holdfast/programs';
import { holderOf, pinOf } from './attempts.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { amendReport } from './report.js';

type Cause = RunEventData<'DoubtOpened'>['cause'];
export type DoubtReason = { readonly cause: Cause; readonly endedAt: number | null; readonly death: boolean };

/** The attempt may have acted and nobody is left who will say, or its holder says that it does not know. */
export const openDoubt = (draft: RunDraft, step: StepState, attempt: Attempt, reason: DoubtReason, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  const holder = holderOf(env, run, step, attempt);
  const id = { stepId: step.stepId, attempt: attempt.attempt };
  if (holder && attempt.status === 'open') {
    record(
      draft,
      runEvent('AttemptHeld', {
        ...id,
        session: holder.session,
        deadline: holder.deadline,
        claimOffset: holder.offset,
      }),
    );
  }
  // Where nobody is known to hold it, the last moment at which anybody may have begun counts.
  const deadline = holder?.deadline ?? attempt.startBy + attempt.timeoutMs;
  const settledAt = settledAtOf(run, step, deadline, reason, env);
  const seq = record(
    draft,
    runEvent('DoubtOpened', {
      ...id,
      cause: reason.cause,
      session: holder?.session ?? null,
      deadline,
      settledAt,
      settleBy: Math.max(env.now, settledAt) + env.settings.settleByMs,
      holds: holdOf(run, step, reason.cause),
      death: reason.death,
    }),
  );
  // Harms nothing when it happens twice: nothing to ask, run it again.
  if (step.policy === 'repeatable') {
    settle(draft, { ...id, doubtSeq: seq }, 'rerun', 'policy', { summary: 'the tool may be called again' });
  }
};

const settledAtOf = (run: LiveRun, step: StepState, deadline: number, reason: DoubtReason, env: Env): number => {
  const pin = pinOf(run, step);
  const spawns = pin.spawns;
  const end = reason.endedAt !== null && !spawns ? Math.min(deadline, reason.endedAt) : deadline;
  const base = reason.cause === 'outcome_unknown' && !env.rules.unknownWaitsForDeadline ? env.now : end;
  return base + pin.settleMs;
};

const holdOf = (run: LiveRun, step: StepState, cause: Cause): 'run' | 'step' | 'none' => {
  if (!hasEffect(step.policy)) return 'none';
  const { hold } = nodeSettings(run.program, step.stepId);
  if (hold !== undefined) return hold;
  return cause === 'session_ended' || cause === 'session_expired' || cause === 'claims_unreadable' ? 'run' : 'step';
};

export type DoubtRef = { readonly stepId: string; readonly attempt: number; readonly doubtSeq: number };
type Settled = RunEventData<'DoubtSettled'>;

export const settle = (
  draft: RunDraft,
  doubt: DoubtRef,
  verdict: Settled['verdict'],
  by: Settled['by'],
  evidence: Evidence,
  askedAt: number | null = null,
): void => {
  record(draft, runEvent('DoubtSettled', { ...doubt, verdict, by, askedAt, evidence }));
};

/** The effect is there: the step has succeeded with what was found. */
export const settleApplied = (
  draft: RunDraft,
  doubt: DoubtRef,
  by: 'reconciler' | 'person',
  found: { readonly result: Json; readonly evidence: Evidence; readonly askedAt: number | null },
): void => {
  const ended = liveRun(draft)?.end !== null;
  settle(draft, doubt, 'applied', by, found.evidence, found.askedAt);
  const { stepId, attempt } = doubt;
  record(
    draft,
    runEvent('StepSucceeded', {
      stepId,
      attempt,
      by: by === 'person' ? 'person' : 'verdict',
      session: null,
      result: found.result,
    }),
  );
  if (ended) amendReport(draft, doubt, 'applied');
};

/** The effect is not there and can no longer land: it may be tried again, or the report of an ended run says so. */
export const settleAbsent = (
  draft: RunDraft,
  doubt: DoubtRef,
  by: Settled['by'],
  found: { readonly evidence: Evidence; readonly askedAt: number | null },
): void => {
  const ended = liveRun(draft)?.end !== null;
  settle(draft, doubt, 'absent', by, found.evidence, found.askedAt);
  if (ended) amendReport(draft, doubt, 'absent');
};

/** When every attempt of a step in doubt has said or been shown not to have acted, nothing is left to ask. */
export const settleIfNothingLeft = (draft: RunDraft, stepId: string, attempt: number): void => {
  const step = liveRun(draft)?.steps[stepId];
  if (!step?.doubt || step.attempts.length > 0) return;
  const evidence = { summary: 'every attempt of the step says or is shown not to have acted' };
  settleAbsent(draft, { stepId, attempt, doubtSeq: step.doubt.seq }, 'outcome', { evidence, askedAt: null });
};
