import { openSync, readSync } from 'node:fs';

/**
 * Loaded before a service: its machine's clock is off by what the file says, in ms as a double, and jumps when that is
 * written anew. All of Node's wall-clock time comes from `Date`; the monotonic clock and timers stay as they are.
 */
const file = openSync(process.env['CLOCK_FILE'] ?? '', 'r');
const bytes = new Float64Array(1);
const RealDate = Date;
const realNow = Date.now.bind(Date);

const now = (): number => {
  readSync(file, bytes, 0, 8, 0);
  return realNow() + (bytes[0] ?? 0);
};

RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as object,
  apply: () => new RealDate(now()).toString(),
});
