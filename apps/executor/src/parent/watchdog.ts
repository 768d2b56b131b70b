import type { Cancel, Timer } from '@holdfast/sdk';

const PING_MS = 500;
/** 5 s, counted in pings that were sent: a stopped parent that wakes has not waited for anybody. */
const MISSED_MAX = 10;

export type WatchdogNews = {
  ping(): void;
  /** Whether some call of the worker should have ended by now. */
  anyCallPast(): boolean;
  kill(): void;
};

/** Kills a worker whose thread has been blocked for long by a call that is past its time. */
export class Watchdog {
  private missed = 0;
  private stopTimer: Cancel = () => undefined;

  constructor(
    private readonly timer: Timer,
    private readonly news: WatchdogNews,
  ) {}

  start(): void {
    this.stop();
    this.missed = 0;
    this.stopTimer = this.timer.every(PING_MS, () => this.check());
  }

  stop(): void {
    this.stopTimer();
    this.stopTimer = () => undefined;
  }

  pong(): void {
    this.missed = 0;
  }

  get isSilent(): boolean {
    return this.missed >= MISSED_MAX;
  }

  private check(): void {
    if (this.isSilent && this.news.anyCallPast()) return this.news.kill();
    this.missed += 1;
    this.news.ping();
  }
}
