import { Leases } from './leases.js';

const fresh = 0;

describe('leases', () => {
  it('give a session that was never heard of a full lease', () => {
    const leases = new Leases(300, 100);
    leases.expect('S');
    expect(leases.tick(100, fresh)).toEqual([]);
    expect(leases.tick(100, fresh)).toEqual([]);
    expect(leases.tick(100, fresh)).toEqual(['S']);
  });

  it('expire nobody before the heartbeats were read to an end fetched afterwards', () => {
    const leases = new Leases(100, 100);
    leases.expect('S');
    expect(leases.tick(100, fresh)).toEqual(['S']);
    expect(leases.expired('S')).toBe(false);
    leases.beat('S');
    expect(leases.expire('S')).toBe(false);
  });

  it('are alive again when the session heartbeats again', () => {
    const leases = new Leases(100, 100);
    leases.expect('S');
    leases.tick(100, fresh);
    expect(leases.expire('S')).toBe(true);
    expect(leases.beat('S')).toBe(true);
    expect(leases.expired('S')).toBe(false);
  });

  it('count a long tick as one of normal length: a frozen process declares nobody dead on waking', () => {
    const leases = new Leases(300, 100);
    leases.expect('S');
    expect(leases.tick(60_000, fresh)).toEqual([]);
  });

  it('do not run while heartbeats are not being read, and are full afterwards', () => {
    const leases = new Leases(300, 100);
    leases.expect('S');
    leases.tick(100, fresh);
    leases.tick(100, fresh);
    expect(leases.tick(100, 1_500)).toEqual([]);
    expect(leases.tick(100, fresh)).toEqual([]);
    expect(leases.tick(100, fresh)).toEqual([]);
    expect(leases.tick(100, fresh)).toEqual(['S']);
  });

  it('end for good with the session', () => {
    const leases = new Leases(100, 100);
    leases.expect('S');
    expect(leases.end('S', { endedAt: 5, clean: false })).toBe(true);
    expect(leases.end('S', { endedAt: 9, clean: true })).toBe(false);
    expect(leases.beat('S')).toBe(false);
    expect(leases.ended('S')).toEqual({ endedAt: 5, clean: false });
  });
});
