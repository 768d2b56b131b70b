import { randomBytes } from 'node:crypto';

/** What time it is. `now` may jump with the machine's clock; durations are measured with `monotonic` only. */
export type Clock = {
  /** Epoch ms, whole. */
  now(): number;
  /** Ms since some fixed moment of this process; never goes back. */
  monotonic(): number;
};

/** Random ids that nobody else ever gets: at least 16 characters out of `[A-Za-z0-9_-]`. */
export type Ids = { next(): string };

/** Work for later. Cancelling twice, or after the work was done, changes nothing. */
export type Timer = {
  /** Calls `work` once after `ms`. */
  after(ms: number, work: () => void): Cancel;
  /** Calls `work` every `ms`, the first time after `ms`. */
  every(ms: number, work: () => void): Cancel;
};
export type Cancel = () => void;

/** Where messages about one thing go: fields first, then the text. A pino logger is one. */
export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

export const systemIds: Ids = { next: () => randomBytes(15).toString('base64url') };

export const systemTimer: Timer = {
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
};

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
