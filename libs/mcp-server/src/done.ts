import { outcomes, type AnswerView } from '@holdfast/api';
import { z } from 'zod';
import { clip, clipOrNull } from './bounds.js';

/** Clients give up after a minute, and the gateway after half of one. */
export const waitMs = z
  .int()
  .min(0)
  .max(20_000)
  .default(10_000)
  .describe('how long to wait for the answer of the coordinator, ms');

export const doneSchema = z.object({
  runId: z.string(),
  outcome: z
    .enum(outcomes)
    .describe('`accepted`; `unchanged`: it was so already; `pending`: it will be read, and was not answered in time'),
  code: z.string().nullable(),
  message: z.string().nullable(),
  details: z.unknown(),
  next: z.string().describe('what to do next'),
});

const DETAILS = 4_000;
const PENDING =
  'It is in the log and will be read, once. Look with get_run in a moment; calling this again with the same arguments ' +
  'does nothing twice.';

export const doneView = (done: AnswerView, next: string): z.infer<typeof doneSchema> => ({
  runId: done.runId,
  outcome: done.outcome,
  code: done.code ?? null,
  message: clipOrNull(done.message ?? null, 2_000),
  details: bounded(done.details ?? null),
  next: done.outcome === 'pending' ? PENDING : next,
});

const bounded = (details: NonNullable<AnswerView['details']> | null) => {
  const text = JSON.stringify(details);
  return text.length <= DETAILS ? details : clip(text, DETAILS);
};
