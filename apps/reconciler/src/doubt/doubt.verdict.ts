import type { Verdict } from '@holdfast/contracts';
import { attemptId, LIMITS, type Evidence } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
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

const SUMMARY_BYTES = 2_000;

/** Evidence within its limit. What does not fit is cut, and says so, rather than lost with the verdict. */
export const boundEvidence = (evidence: Evidence): Evidence => {
  if (bytesOf(evidence) <= LIMITS.evidenceBytes) return evidence;
  const summary = cut(evidence.summary, SUMMARY_BYTES);
  if (evidence.details === undefined) return { summary };
  const whole = { summary, details: evidence.details };
  if (bytesOf(whole) <= LIMITS.evidenceBytes) return whole;
  return { summary, details: { omitted: true, bytes: bytesOf(evidence.details) } };
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The text within so many bytes as JSON, never ending inside a character. */
const cut = (text: string, bytes: number): string => {
  if (bytesOf(text) <= bytes) return text;
  let low = 0;
  let high = Math.min(text.length, bytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (bytesOf(text.slice(0, middle)) <= bytes) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).replace(/\p{Cs}$/u, '')}…`;
};

export const unknown = (summary: string, details?: Json): Answer => ({
  verdict: 'unknown',
  evidence: details === undefined ? { summary } : { summary, details: details as Evidence['details'] },
});
