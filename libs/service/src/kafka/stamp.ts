/** The machine's two clocks, read together. */
export type Moment = { readonly now: number; readonly mono: number };

/** An own append: when it was sent and answered, and the time that the broker gave it (epoch ms), if it told. */
export type Stamped = { readonly at: number | null; readonly sent: Moment; readonly answered: Moment };

/**
 * How far this machine's clock is ahead of the broker's, ms; below zero: behind. The broker stamps the record somewhere
 * between sending and answer if the clocks agree. Null where that proves nothing: the clock was set meanwhile, or the
 * answer took so long that the clock may be off by more than `skewMs` all the same.
 */
export const offByBroker = ({ at, sent, answered }: Stamped, skewMs: number): number | null => {
  const tookMs = answered.mono - sent.mono;
  if (at === null || Math.abs(answered.now - sent.now - tookMs) > skewMs) return null;
  const offMs = Math.min(answered.now - at, 0) + Math.max(sent.now - at, 0);
  return tookMs > skewMs && Math.abs(offMs) <= skewMs ? null : offMs;
};
