import { ended, waiting, world } from './cli.fixture.js';

describe('watching', () => {
  it('prints events in words and the output, and succeeds with the run', async () => {
    const { run, out } = world({ events: [waiting, ended('succeeded')] });
    expect(await run('watch', 'run-1')).toBe(0);
    expect(out()).toContain('The run waits for an executor.');
    expect(out()).toContain('Output: {"ok":true}');
  });

  it('fails with a run that did not succeed', async () =>
    expect(await world({ events: [ended('failed')] }).run('watch', 'run-1')).toBe(1));

  it('prints JSON lines and nothing else with --json', async () => {
    const { run, out } = world({ events: [waiting, ended('succeeded')] });
    await run('watch', 'run-1', '--json');
    const lines = out().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { kind: 'event', seq: 0, type: 'RunWaiting', words: 'The run waits for an executor.' },
      { kind: 'event', seq: 1, type: 'RunEnded' },
    ]);
  });

  it('ends at Ctrl-C and says that the run goes on', async () => {
    const { run, out, interruption } = world({ events: [waiting] });
    const watching = run('watch', 'run-1');
    setTimeout(() => interruption.abort(), 20);
    expect(await watching).toBe(0);
    expect(out()).toContain('which goes on');
  });

  it('does not wait for a run that nobody knows', async () => {
    const { run, err } = world();
    expect(await run('watch', 'run-1')).toBe(4);
    expect(err()).toContain('there is no run run-1 in namespace holdfast');
  });
});

describe('replaying', () => {
  it('prints history, state and what was verified', async () => {
    const { run, out } = world({ events: [waiting, ended('succeeded')] });
    expect(await run('replay', 'run-1')).toBe(0);
    expect(out()).toContain('State: ended, succeeded.');
    expect(out()).toContain('Verified: 10 records of lane 3, 2 of them of this run');
  });

  it('knows no run without records', async () => {
    expect(await world().run('replay', 'run-1')).toBe(4);
    expect(await world().run('escalations', 'run-1')).toBe(4);
  });
});
