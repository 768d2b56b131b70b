import { answerType } from './internals.js';

/** How long a broker may take until it has heard of what it, or another one, has just created, ms. */
export const HEARD_MS = 10_000;
const AGAIN_MS = 100;
const NOT_HEARD: ReadonlySet<string | null> = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE']);

/** The pause before it is asked again. */
export const againUntilHeard = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, AGAIN_MS));

/** The answer of a broker that has heard of all topics in question: each request may go to another one. */
export async function whenHeard<T>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + HEARD_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!NOT_HEARD.has(answerType(error)) || performance.now() > until) throw error;
      await againUntilHeard();
    }
  }
}

/**
 * Waits until topics have leaders that answer, but not for ever: a first append that finds none is answered as unknown,
 * which everybody can live with. The question fails in many ways meanwhile, one of them a `TypeError` of kafkajs; what
 * really is wrong shows when the topics are used.
 */
export async function whenLed(areLed: () => Promise<boolean>, withinMs = HEARD_MS): Promise<void> {
  const until = performance.now() + withinMs;
  while (!(await areLed().catch(() => false)) && performance.now() < until) await againUntilHeard();
}
