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
});
