import { monotonicMs } from '../channel/shared-clock.js';
import { OrphanSigns } from './orphan-signs.js';
import { mustEnd } from './orphan.js';

const MINUTE_MS = 60_000;

describe('a worker without a parent', () => {
  const orphan = { since: 0, lastSeen: 0, callsUntil: MINUTE_MS };

  it('is left alone while a call may take', () => {
    expect(mustEnd(orphan, MINUTE_MS - 1)).toBe(false);
  });

  it('ends when it hangs in a call that is past its time', () => {
    expect(mustEnd(orphan, MINUTE_MS)).toBe(true);
    expect(mustEnd({ ...orphan, lastSeen: MINUTE_MS - 1 }, MINUTE_MS)).toBe(false);
  });

  it('goes on trying to say its last words, and not for ever', () => {
    const trying = (now: number) => mustEnd({ ...orphan, lastSeen: now }, now);
    expect(trying(10 * MINUTE_MS)).toBe(false);
    expect(trying(11 * MINUTE_MS)).toBe(true);
  });

  it.each([-1, 1])('neither waits nor ends for a wall clock that is set (%i h)', (hours) => {
    const signs = new OrphanSigns();
    const since = monotonicMs();
    const wall = Date.now;
    try {
      Date.now = () => wall() + hours * 60 * MINUTE_MS;
      signs.callBegins(MINUTE_MS);
    } finally {
      Date.now = wall;
    }
    signs.seen();
    const [soon, late] = [monotonicMs() + MINUTE_MS - 1_000, monotonicMs() + MINUTE_MS + 1];
    expect([mustEnd(signs.of(since), soon), mustEnd(signs.of(since), late)]).toEqual([false, true]);
  });
});
