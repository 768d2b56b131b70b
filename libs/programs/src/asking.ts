import { z } from 'zod';
import type { Json } from './json.js';

const YEAR_MS = 365 * 86_400_000;
const ms = (least: number) => z.int().min(least).max(YEAR_MS);

/** Who is asked, one after the other: each from so long after the question on, beside those before. */
export const assigneesSchema = z
  .array(z.strictObject({ to: z.string().min(1).max(200), afterMs: ms(0).default(0) }))
  .min(1)
  .max(16)
  .refine(
    (all) => all.every(({ afterMs }, index) => afterMs >= (all[index - 1]?.afterMs ?? 0)),
    'each must be asked no earlier than the one before: put afterMs in order',
  );
export type Assignee = z.infer<typeof assigneesSchema>[number];

/** Whom to ask, how often to remind, and how long there is to answer. */
export const asking = {
  assignees: assigneesSchema.optional(),
  remindEveryMs: ms(1_000).optional(),
  withinMs: ms(1).optional(),
};
export const askingSchema = z.strictObject(asking);
export type Asking = {
  readonly assignees?: readonly Assignee[] | undefined;
  readonly remindEveryMs?: number | undefined;
  readonly withinMs?: number | undefined;
};

/**
 * What it means that nobody answers in time: `end` ends the run, `fail` fails the step, and an answer is taken as given.
 * Silence never lets an effect happen that cannot be undone.
 */
export type OnSilence = 'end' | 'fail' | { readonly answer: Json };
