import { LogUnavailable } from '@holdfast/log';
import { systemTimer, type Timer } from '../ports.js';

export type Patience = {
  /** How long to go on asking a log that does not answer, ms. A topic that was just made answers a moment later. */
  readonly patienceMs?: number;
  readonly timer?: Timer;
};

const PATIENCE_MS = 3_000;
const PAUSE_FIRST_MS = 50;
const PAUSE_MAX_MS = 500;

/** Asks again while the log is unavailable; rejects with the last `LogUnavailable` when the patience is at its end. */
export const patiently = async <T>(ask: () => Promise<T>, patience: Patience = {}): Promise<T> => {
  const { patienceMs = PATIENCE_MS, timer = systemTimer } = patience;
  let left = patienceMs;
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LogUnavailable) || left <= 0) throw error;
    }
    const ms = Math.min(pauseMs, left);
    left -= ms;
    await new Promise<void>((resolve) => timer.after(ms, resolve));
  }
};
