import { eventually } from '@holdfast/dev';

export type Until = typeof eventually;

/** As `eventually`, but whoever waits gives up at once when nobody wants it any more. */
export const untilAborted =
  (signal: AbortSignal | undefined): Until =>
  (what, ask, ...times) =>
    eventually(
      what,
      () => {
        signal?.throwIfAborted();
        return ask();
      },
      ...times,
    );

/** One after the other, also where one of them fails; rejects with the first reason. */
export const allInOrder = async (works: readonly (() => Promise<unknown>)[]): Promise<void> => {
  const reasons: unknown[] = [];
  for (const work of works) await work().catch((error: unknown) => reasons.push(error));
  if (reasons.length > 0) throw reasons[0];
};
