import { world } from './cli.fixture.js';

describe('steering', () => {
  it.each(['kill', 'pause', 'resume'])('hands on the reason of a %s', async (verb) => {
    const { run, asked } = world();
    expect(await run(verb, 'run-1', '--reason', 'the office is closed', '--as', 'ann')).toBe(0);
    expect(asked).toEqual([[verb, 'run-1', { principal: 'ann', reason: 'the office is closed' }]]);
  });

  it('hands on a new deadline and new windows', async () => {
    const { run, asked } = world();
    expect(await run('steer', 'run-1', '--deadline', '2h', '--window', 'each=8', '--window', 'a.b=1')).toBe(0);
    expect(asked).toMatchObject([['steer', 'run-1', { deadlineMs: 7_200_000, windows: { each: 8, 'a.b': 1 } }]]);
  });

  it('refuses what changes nothing or is no window', async () => {
    expect(await world().run('steer', 'run-1')).toBe(2);
    expect(await world().run('steer', 'run-1', '--window', 'each=0')).toBe(2);
    expect(await world().run('steer', 'run-1', '--window', 'each=many')).toBe(2);
  });
});

describe('a tenant', () => {
  it('is told what it may use, and asked what is left of it', async () => {
    const { run, asked, out } = world();
    expect(await run('--as', 'ann', 'tenant', 'acme', '--budget', 'effects=9')).toBe(0);
    expect(asked).toEqual([['tenant', 'acme', { budget: { effects: 9 }, principal: 'ann' }]]);
    expect(await run('tenant', 'acme')).toBe(0);
    expect(out()).toContain('Left: 7 effects.');
    expect(await run('tenant', 'acme', '--budget', 'depth=1')).toBe(2);
    expect(await run('tenant', 'a/b', '--budget', 'effects=1')).toBe(2);
  });
});
