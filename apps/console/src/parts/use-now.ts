import { useSyncExternalStore } from 'react';
import { now } from '../format/clock.js';

/** One clock for all that ticks: a timer for each rate, however many countdowns there are. */
class Ticker {
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setInterval> | null = null;
  private at = now();

  constructor(private readonly everyMs: number) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.listeners.size === 0) this.start();
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0 && this.timer !== null) clearInterval(this.timer);
    };
  };

  readonly read = (): number => this.at;

  private start(): void {
    this.at = now();
    this.timer = setInterval(() => {
      this.at = now();
      for (const listener of this.listeners) listener();
    }, this.everyMs);
  }
}

const slow = new Ticker(1_000);
const quick = new Ticker(200);

export const useNow = (rate: 'slow' | 'quick' = 'slow'): number => {
  const ticker = rate === 'slow' ? slow : quick;
  return useSyncExternalStore(ticker.subscribe, ticker.read);
};
