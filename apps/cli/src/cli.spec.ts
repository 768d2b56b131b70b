import { world } from './cli.fixture.js';

describe('the command line', () => {
  it.each([[], ['submit'], ['bogus'], ['cancel', 'r', '--within', '30'], ['watch', 'a b'.repeat(200), '--nope']])(
    'refuses %j',
    async (...args) => expect(await world().run(...(args.flat() as string[]))).toBe(2),
  );

  it('tells its version', async () => {
    const { run, out } = world();
    expect(await run('--version')).toBe(0);
    expect(out()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('shows help with examples and exit codes', async () => {
    const { run, out } = world();
    expect(await run('--help')).toBe(0);
    expect(out()).toContain('Examples:');
    expect(out()).toContain('Exit codes:');
  });
});
