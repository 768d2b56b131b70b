import type { Time } from '../session/session.state.js';

/** Both clocks. The monotonic one counts from the same moment in parent and worker, so that they can compare. */
export const readClocks = (): Time => ({ now: Date.now(), mono: monotonicMs() });

export const monotonicMs = (): number => {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e3 + nanos / 1e6;
};
