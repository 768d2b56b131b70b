import {
  hasEffect,
  openStep,
  runEvent,
  type Amounts,
  type Attempt,
  type Evidence,
  type LiveRun,
  type Omitted,
  type RunEventData,
  type StepState,
} from '@holdfast/events';
import { nodeSettings, type Json } from '@holdfast/programs';
import { holderOf, pinOf } from './attempts.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { amendReport } from './report.js';
import { usedIn } from './used.js';

type Cause = RunEventData<'DoubtOpened'>['cause'];
export type DoubtReason = { readonly cause: Cause; readonly endedAt: number | null; readonly death: boolean };
/** What the word that opened the doubt says about its writer, the attempt's holder. */
export type Witness = {
  readonly session: string;
  readonly deadline: number | null;
  readonly used?: Amounts | undefined;
};
export type Suspect = { readonly step: StepState; readonly attempt: Attempt; readonly witness?: Witness };

/** The attempt may have acted and nobody is left who will say, or its holder says that it does not know. */
export const openDoubt = (draft: RunDraft, suspect: Suspect, reason: DoubtReason, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  const { step, attempt, witness } = suspect;
  const holder = holderOf(env, run, step, attempt);
  const id = { stepId: step.stepId, attempt: attempt.attempt };
  if (holder && attempt.status === 'open') {
    const { session, deadline, offset } = holder;
    record(draft, runEvent('AttemptHeld', { ...id, session, deadline, claimOffset: offset }));
  }
  // Where nobody is known to hold it, the last moment at which anybody may have begun counts.
  const deadline = holder?.deadline ?? witness?.deadline ?? attempt.startBy + attempt.timeoutMs;
  const settledAt = settledAtOf(run, step, { ...reason, deadline }, env);
  const seq = record(
    draft,
    runEvent('DoubtOpened', {
      ...id,
      cause: reason.cause,
      session: holder?.session ?? witness?.session ?? null,
      deadline,
      settledAt,
      settleBy: Math.max(env.now, settledAt) + env.settings.settleByMs,
      holds: holdOf(run, step, reason.cause),
      death: reason.death,
      ...usedIn(witness),
    }),
  );
  // Harms nothing when it happens twice: nothing to ask, run it again.
  if (step.policy === 'repeatable') {
    const evidence = { summary: 'the tool may be called again' };
    settle(draft, { ...id, doubtSeq: seq }, { verdict: 'rerun', by: 'policy', evidence, askedAt: null });
    voidApproval(draft, id);
  }
};

/** Whoever has agreed to one call has not agreed to a second one beside one that may have acted. */
const voidApproval = (draft: RunDraft, id: { readonly stepId: string; readonly attempt: number }): void => {
  const run = liveRun(draft);
  const approval = openStep(run, id.stepId)?.approval;
  if (approval === undefined || run?.end !== null) return;
  record(draft, runEvent('ApprovalVoided', { ...id, approvalSeq: approval.seq, cause: 'may_have_acted' }));
};

const settledAtOf = (
  run: LiveRun,
  step: StepState,
  { cause, endedAt, deadline }: DoubtReason & { readonly deadline: number },
  env: Env,
): number => {
  const pin = pinOf(run, step);
  const end = endedAt !== null && !pin.spawns ? Math.min(deadline, endedAt) : deadline;
  const base = cause === 'outcome_unknown' && !env.rules.unknownWaitsForDeadline ? env.now : end;
  return base + pin.settleMs;
};

const holdOf = (run: LiveRun, step: StepState, cause: Cause): 'run' | 'step' | 'none' => {
  if (!hasEffect(step.policy)) return 'none';
  const { hold } = nodeSettings(run.program, step.stepId);
  if (hold !== undefined) return hold;
  return cause === 'session_ended' || cause === 'session_expired' || cause === 'claims_unreadable' ? 'run' : 'step';
};

export type DoubtRef = { readonly stepId: string; readonly attempt: number; readonly doubtSeq: number };
type Finding = Pick<RunEventData<'DoubtSettled'>, 'verdict' | 'by' | 'evidence' | 'askedAt'>;

export const settle = (draft: RunDraft, doubt: DoubtRef, finding: Finding): void => {
  record(draft, runEvent('DoubtSettled', { ...doubt, ...finding }));
};

type Found = { readonly evidence: Evidence; readonly askedAt: number | null };
type Recovered = Found & ({ readonly value: Json } | { readonly omitted: Omitted });

/** The effect is there: the step has succeeded with what was found. */
export const settleApplied = (
  draft: RunDraft,
  doubt: DoubtRef,
  by: 'reconciler' | 'person',
  found: Recovered,
): void => {
  const ended = liveRun(draft)?.end !== null;
  const { evidence, askedAt } = found;
  settle(draft, doubt, { verdict: 'applied', by, evidence, askedAt });
  const { stepId, attempt } = doubt;
  const result = 'omitted' in found ? { omitted: found.omitted } : { result: found.value };
  const told = by === 'person' ? 'person' : 'verdict';
  record(draft, runEvent('StepSucceeded', { stepId, attempt, by: told, session: null, ...result }));
  if (ended) amendReport(draft, doubt, 'applied');
};

/** The effect is not there and can no longer land: it may be tried again, or the report of an ended run says so. */
export const settleAbsent = (draft: RunDraft, doubt: DoubtRef, by: Finding['by'], found: Found): void => {
  const ended = liveRun(draft)?.end !== null;
  settle(draft, doubt, { verdict: 'absent', by, ...found });
  if (ended) amendReport(draft, doubt, 'absent');
};

/**
 * When every attempt of a step in doubt has said or been shown not to have acted, nothing is left to ask. Answers
 * whether that was so.
 */
export const settleIfNothingLeft = (draft: RunDraft, stepId: string, attempt: number): boolean => {
  const step = openStep(liveRun(draft), stepId);
  if (!step?.doubt || step.attempts.length > 0) return false;
  const evidence = { summary: 'every attempt of the step says or is shown not to have acted' };
  settleAbsent(draft, { stepId, attempt, doubtSeq: step.doubt.seq }, 'outcome', { evidence, askedAt: null });
  return true;
};
