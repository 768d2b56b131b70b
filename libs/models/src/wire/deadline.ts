import type { CompleteOptions } from '../model.js';

const TIMER_MS_MAX = 0x7fffffff;

type Bounded = { readonly signal: AbortSignal; readonly ms: number; readonly close: () => void };

/** A signal that is aborted at the deadline and with the signal of the call, until `close`. */
export const withDeadline = ({ signal, deadline }: CompleteOptions): Bounded => {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const ms = Math.min(Math.max(Math.ceil(deadline - Date.now()), 1), TIMER_MS_MAX);
  const timer = setTimeout(stop, ms);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const close = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  };
  return { signal: controller.signal, ms, close };
};
