import { planFile, world } from './cli.fixture.js';

describe('submitting', () => {
  it('hands on program, input, labels and deadline', async () => {
    const { run, asked, out } = world();
    const args = ['--run', 'run-1', '--input', '{"n":1}', '--label', 'a=1', '--label', 'b=x=y', '--deadline', '2h'];
    expect(await run('--as', 'ann', 'submit', await planFile(), ...args)).toBe(0);
    expect(asked).toEqual([
      [
        'submit',
        {
          runId: 'run-1',
          program: { kind: 'plan', name: 'My Mission!', steps: [] },
          principal: 'ann',
          input: { n: 1 },
          labels: { a: '1', b: 'x=y' },
          deadlineMs: 7_200_000,
        },
      ],
    ]);
    expect(out()).toBe('Run run-1 is accepted (lane 3, seq 9).\nWatch it with: holdfast watch run-1\n');
  });

  it('says what the run may use, by pairs, JSON or a file, and refuses what is wrong by its name', async () => {
    const { run, asked, err } = world();
    const pairs = ['effects=10', 'calls.pay=3', 'calls.file@1=4', 'money=2.50eur', 'idle=10m', 'steps=unlimited'];
    const given = pairs.flatMap((pair) => ['--budget', pair]);
    expect(await run('submit', await planFile(), ...given, '--tenant', 'acme')).toBe(0);
    const budget = {
      effects: 10,
      calls: { pay: 3, 'file@1': 4 },
      money: { amount: '2.50', currency: 'EUR' },
      idleMs: 600_000,
      steps: 'unlimited',
    };
    expect(asked).toMatchObject([['submit', { budget, tenant: 'acme' }]]);
    expect(await run('submit', await planFile(), '--budget', '{"effects": 0}')).toBe(0);
    for (const wrong of ['steps=-1', 'effects=abc', 'tokensIn=', 'step=1', '{"calls": "3"}']) {
      expect(await run('submit', await planFile(), '--budget', wrong)).toBe(2);
    }
    expect(err()).toContain('the budget cannot be used: steps: ');
    expect(err()).toContain('tokensIn: must be');
  });

  it('says how it goes together with other runs of a key', async () => {
    const { run, asked, err } = world();
    const valid = ['--valid-until', '2027-01-31T12:00:00Z'];
    const key = ['--concurrency-key', 'pr/7', '--on-conflict', 'cancel-older', '--generation', '3'];
    expect(await run('submit', await planFile(), ...key, ...valid)).toBe(0);
    const concurrency = { key: 'pr/7', policy: 'cancel-older' };
    const validUntil = Date.UTC(2027, 0, 31, 12);
    expect(asked).toMatchObject([['submit', { concurrency, generation: 3, validUntil }]]);
    expect(await run('submit', await planFile(), '--on-conflict', 'reject')).toBe(2);
    expect(await run('submit', await planFile(), '--valid-until', 'tomorrow')).toBe(2);
    expect(err()).toContain('Add --concurrency-key.');
  });

  it('names a run without an id after its program', async () => {
    const { run, asked } = world();
    await run('submit', await planFile());
    expect(asked).toMatchObject([['submit', { runId: expect.stringMatching(/^my-mission-.{16,}$/) }]]);
  });

  it('shows every reason of a refusal and what to do', async () => {
    const details = [{ code: 'unknown_tool', at: 'steps[0].tool', message: 'no such tool' }];
    const { run, err, out } = world({ refuse: { code: 'invalid_program', message: 'the program is wrong', details } });
    expect(await run('submit', await planFile())).toBe(2);
    expect(err()).toContain('steps[0].tool: no such tool');
    expect(out()).toBe('');
  });

  it('says what is wrong with a file before it looks for a cluster', async () => {
    const { run, err } = world();
    expect(await run('submit', '/nowhere.json')).toBe(2);
    expect(err()).toContain('there is no such file');
  });
});
