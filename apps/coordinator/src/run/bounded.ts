import { isWithinDepth, jsonBytes, LIMITS, shorten, type Evidence, type Failure, type Omitted } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import type { Env } from './env.js';

/** A value as history keeps it: itself, or its size and hash where it is too large. The call is never made again for that. */
export const kept = (
  value: Json,
  env: Pick<Env, 'digest'>,
): { readonly value: Json } | { readonly omitted: Omitted } => {
  const bytes = jsonBytes(value);
  if (bytes <= LIMITS.inlineValueBytes && isWithinDepth(value, LIMITS.valueDepth)) return { value };
  return { omitted: { omitted: true, bytes, sha256: env.digest(JSON.stringify(value)) } };
};

export const boundedText = (text: string, length: number = LIMITS.evidenceBytes): string => shorten(text, length);

export const boundedFailure = ({ code, message }: Failure): Failure => ({
  code: shorten(code, 200),
  message: boundedText(message),
});

export const boundedEvidence = ({ summary, details }: Evidence): Evidence => ({
  summary: boundedText(summary),
  ...(details === undefined || jsonBytes(details) > LIMITS.evidenceBytes ? {} : { details }),
});
