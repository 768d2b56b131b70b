import { z } from 'zod';
import { LIMITS } from './limits.js';

const forbidden = /[\p{Cc}\p{Z}\p{Cs}/]/u;

/** NFC, 1 to 200 characters, no controls, spaces or `/`. */
export const runIdSchema = z
  .string()
  .min(1)
  .max(LIMITS.runIdLength)
  .refine((id) => !forbidden.test(id), 'must hold no control character, space, lone surrogate or /')
  .refine((id) => id === id.normalize('NFC'), 'must be in normal form C');

/** What runs of one kind share, so that one of them is at work at a time: NFC, at most 200 characters, no controls or spaces. */
export const concurrencyKeySchema = z
  .string()
  .min(1)
  .max(LIMITS.concurrencyKeyLength)
  .refine((key) => !/[\p{Cc}\p{Z}\p{Cs}]/u.test(key), 'must hold no control character, space or lone surrogate')
  .refine((key) => key === key.normalize('NFC'), 'must be in normal form C');
/** Whoever pays for runs. What belongs to it lives on the lane of its home, `tenant/<name>`, which is no run id. */
export const tenantSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, 'must hold 1 to 100 letters, digits, _, . or -');
export const tenantHome = (tenant: string): string => `tenant/${tenant}`;

export type AttemptRef = { readonly runId: string; readonly stepId: string; readonly attempt: number };

/** `runId/stepId/attempt`; neither part can hold a `/`. */
export const attemptId = (ref: AttemptRef): string => `${ref.runId}/${ref.stepId}/${ref.attempt}`;

/** The parts of an attempt id, or null when it is not one. */
export const parseAttemptId = (id: string): AttemptRef | null => {
  const [runId, stepId, attempt, ...rest] = id.split('/');
  if (!runId || !stepId || !attempt || rest.length > 0 || !/^\d+$/.test(attempt)) return null;
  return { runId, stepId, attempt: Number(attempt) };
};

/** The key that a tool gets: the same for every attempt of a step, other for every run, also under a reused run id. */
export const idempotencyKey = (runKey: string, stepId: string): string => `${runKey}/${stepId}`;

/** What a request about a whole lane is about; no run can have this name. */
export const laneName = (lane: number): string => `lane/${lane}`;
