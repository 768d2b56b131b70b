import type { Verdict } from '@holdfast/contracts';
import { openStep, runEvent, type StepState } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { boundedEvidence, kept } from './bounded.js';
import { settleAbsent, settleApplied } from './doubt.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';

/** What the reconciler found. A verdict on a step that is no longer in that doubt is dropped. */
export const decideVerdict = (draft: RunDraft, verdict: Verdict, env: Env): void => {
  const { stepId, doubtSeq } = verdict.data;
  // Nobody can have asked later than now: a clock that runs ahead must not shorten the settle window.
  const askedAt = Math.min(verdict.data.askedAt, env.now);
  const evidence = boundedEvidence(verdict.data.evidence);
  const step = openStep(liveRun(draft), stepId);
  if (step?.doubt == null) return;
  if (step.doubt.seq !== doubtSeq && env.rules.verdictsOnlyInDoubt) return;
  const doubt = { stepId, attempt: step.doubt.attempt, doubtSeq: step.doubt.seq };
  if (verdict.data.verdict === 'applied') {
    const result = kept((verdict.data.result ?? null) as Json, env);
    return settleApplied(draft, doubt, 'reconciler', { ...result, evidence, askedAt });
  }
  if (verdict.data.verdict === 'absent' && absentCounts(step, askedAt, env)) {
    return settleAbsent(draft, doubt, 'reconciler', { evidence, askedAt });
  }
  if (verdict.data.verdict === 'unknown' && verdict.data.probe > step.doubt.probes) {
    record(draft, runEvent('ProbeRecorded', { ...doubt, probe: verdict.data.probe, askedAt, evidence }));
  }
};

/** `absent` counts only if the asking began after the settle window, and only if no attempt of the step can still act. */
export const absentCounts = (step: StepState, askedAt: number, env: Env): boolean => {
  if (!env.rules.settleWindow) return true;
  const settled = step.attempts.every(
    (attempt) => attempt.status === 'doubtful' && (attempt.settledAt ?? Infinity) <= askedAt,
  );
  return settled && step.doubt !== null && askedAt >= step.doubt.settledAt;
};
