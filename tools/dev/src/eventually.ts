import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 25;

/**
 * Asks again and again, every 25 ms if not told otherwise, until the answer is neither `false`, `null` nor `undefined`, and resolves to it.
 *
 * Rejects after `msMax` with what was waited for. An error out of `ask` ends the wait.
 */
export const eventually = async <T>(
  what: string,
  ask: () => T | Promise<T>,
  msMax = 10_000,
  everyMs = EVERY_MS,
): Promise<Exclude<T, false | null | undefined>> => {
  const deadline = performance.now() + msMax;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) {
      return answer as Exclude<T, false | null | undefined>;
    }
    if (performance.now() > deadline) throw new Error(`Waited ${msMax} ms in vain: ${what}.`);
    await pause(everyMs);
  }
};
