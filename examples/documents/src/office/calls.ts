import { z } from 'zod';

/** What the office saw of one filing call. Times are epoch ms; `null` where it has not happened. */
export const callSchema = z.object({
  document: z.string(),
  key: z.string(),
  /** The how-manieth call about this document, from 0. */
  call: z.int(),
  /** Which attempt of its step it is, as its client says. */
  attempt: z.int().nullable(),
  fate: z.enum(['answers', 'drops', 'refuses', 'slow', 'late']),
  receivedAt: z.int(),
  appliedAt: z.int().nullable(),
  /** An answer was sent, good or bad. */
  answeredAt: z.int().nullable(),
  /** The office cut the connection itself. */
  cutAt: z.int().nullable(),
  /** The client's connection was gone before it had its answer. */
  goneAt: z.int().nullable(),
  /** It was not applied because its client had gone. */
  droppedAt: z.int().nullable(),
});
export type Call = z.infer<typeof callSchema>;

export const callsSchema = z.object({ calls: z.array(callSchema) });

/** Whether the client of a call was waiting for its answer at a moment. */
export const isInFlight = (call: Call, at: number): boolean =>
  call.receivedAt <= at && [call.answeredAt, call.cutAt, call.goneAt].every((end) => end === null || end > at);

/** In flight, and the world has already changed: who dies now dies without knowing. */
export const isAppliedUnanswered = (call: Call, at: number): boolean =>
  isInFlight(call, at) && call.appliedAt !== null && call.appliedAt <= at;

/** The calls whose client went away between two moments, as it does when its process is killed. */
export const abandonedBetween = (calls: readonly Call[], from: number, to: number): readonly Call[] =>
  calls.filter(({ goneAt }) => goneAt !== null && goneAt >= from && goneAt <= to);

/**
 * The calls that began after a moment and took effect, oldest first. What the dead had sent before their end and what
 * was only read after it began earlier: nobody was there any more to hear of it.
 */
export const effectsBegunAfter = (calls: readonly Call[], at: number): readonly Call[] =>
  calls
    .filter((call) => call.receivedAt > at && call.appliedAt !== null && call.goneAt === null)
    .sort((one, other) => one.receivedAt - other.receivedAt);
