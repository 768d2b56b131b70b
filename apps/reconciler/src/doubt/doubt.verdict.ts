import type { Verdict } from '@holdfast/contracts';
import { attemptId, type Evidence } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { boundEvidence } from '@holdfast/sdk';
import type { DoubtView } from './doubt.view.js';

/** What a tool said, or what became of the question. */
export type Answer =
  | { readonly verdict: 'applied'; readonly result: Json; readonly evidence: Evidence }
  | { readonly verdict: 'absent'; readonly evidence: Evidence }
  | { readonly verdict: 'unknown'; readonly evidence: Evidence };

export type Judgement = Verdict['data'];

/** The verdict on a doubt: its answer with who asked, when, and the number of the question. */
export const judgement = (
  view: DoubtView,
  answer: Answer,
  asked: { readonly askedAt: number; readonly probe: number; readonly judgedBy: string },
): Judgement => {
  const { runId, stepId, attempt, doubtSeq } = view;
  return {
    attemptId: attemptId({ runId, stepId, attempt }),
    runId,
    stepId,
    attempt,
    doubtSeq,
    verdict: answer.verdict,
    ...(answer.verdict === 'applied' ? { result: answer.result as Judgement['result'] } : {}),
    askedAt: asked.askedAt,
    probe: asked.probe,
    judgedBy: asked.judgedBy,
    evidence: boundEvidence(answer.evidence),
  };
};

export const unknown = (summary: string, details?: Json): Answer => ({
  verdict: 'unknown',
  evidence: details === undefined ? { summary } : { summary, details: details as Evidence['details'] },
});
