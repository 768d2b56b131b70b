import { LIMITS, type Evidence } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { knownSecrets } from '../secrets/secrets.js';
import { boundText } from './classify.js';

/** What a tool found out about an earlier call of its own. */
export type ToolVerdict<Result = unknown> =
  | { readonly verdict: 'applied'; readonly result: Result; readonly evidence: Evidence }
  | { readonly verdict: 'absent'; readonly evidence: Evidence }
  | { readonly verdict: 'unknown'; readonly evidence: Evidence };

/** A sentence on what was seen and where, with the tool's own words beside it if they help. */
export type EvidenceInput = string | { readonly summary: string; readonly details?: unknown };

/** The effect is there; `result` is what the call would have returned. */
export const applied = <Result>(result: Result, evidence: EvidenceInput): ToolVerdict<Result> => ({
  verdict: 'applied',
  result,
  evidence: boundEvidence(evidence),
});

/** The effect is not there. Say it only when the place that would show it was read. */
export const absent = (evidence: EvidenceInput): ToolVerdict<never> => ({
  verdict: 'absent',
  evidence: boundEvidence(evidence),
});

/** It cannot be told now. It is asked again later. */
export const unknown = (evidence: EvidenceInput): ToolVerdict<never> => ({
  verdict: 'unknown',
  evidence: boundEvidence(evidence),
});

/** Evidence as plain JSON of at most 8 KiB; details that do not fit are left out and say so. */
export const boundEvidence = (input: EvidenceInput): Evidence => {
  const { summary, details } = typeof input === 'string' ? { summary: input, details: undefined } : input;
  const text = boundText(summary, LIMITS.evidenceBytes / 4);
  if (details === undefined) return { summary: text };
  const whole = toJson({ summary: text, details });
  if (whole === null) return { summary: text, details: { omitted: 'not JSON' } };
  const bytes = Buffer.byteLength(whole);
  if (bytes > LIMITS.evidenceBytes) return { summary: text, details: { omitted: 'too large', bytes } };
  return knownSecrets.maskJson(JSON.parse(whole) as { summary: string; details: Json });
};

const toJson = (value: unknown): string | null => {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
};
