import { missionCommand, parseOptions } from './options.js';

/** What is said to whoever gives these options; null when they are taken. */
const complaint = (...argv: readonly string[]): string | null => {
  let said = '';
  const command = missionCommand()
    .exitOverride()
    .configureOutput({ writeErr: (text) => void (said += text) });
  try {
    parseOptions(argv, command, {});
    return null;
  } catch {
    return said;
  }
};

describe('the options of the mission', () => {
  it('kill the worker at step 613 where nothing is said, and cancel nothing', () =>
    expect(parseOptions([])).toMatchObject({ count: 2_000, kill: 'worker', killAt: 613, kills: 0, cancel: null }));

  it('start one broker, or as many as are asked for', () =>
    expect([[], ['--brokers', '3']].map((given) => parseOptions(given).brokers)).toEqual([1, 3]));

  it('let no model write, whatever keys there are, unless one is named', () => {
    const env = { OPENAI_API_KEY: 'a-key' };
    expect(parseOptions([], missionCommand(), env).model).toBeNull();
    expect(parseOptions(['--model', 'small'], missionCommand(), env).model).toBe('small');
    expect(parseOptions(['--model', 'small'], missionCommand(), { OPENAI_BASE_URL: 'http://a/v1' }).model).toBe(
      'small',
    );
  });

  it('refuse a model that nobody can be asked for', () =>
    expect(complaint('--model', 'small')).toContain('--model needs an endpoint: set OPENAI_API_KEY'));

  it('kill earlier in a short mission', () =>
    expect(parseOptions(['--count', '20'])).toMatchObject({ kill: 'worker', killAt: 20 }));

  it('cancel at a step, within 10 s, and then kill nothing', () =>
    expect(parseOptions(['--cancel-at', '900'])).toMatchObject({
      kill: 'none',
      cancel: { atStep: 900, withinMs: 10_000, freeze: false },
    }));

  it.each([
    ['500ms', 500],
    ['2.5s', 2_500],
    ['1m', 60_000],
  ])('cancel within %s', (within, withinMs) =>
    expect(parseOptions(['--cancel-at', '9', '--within', within]).cancel).toMatchObject({ withinMs }),
  );

  it('kill nothing where the services are run by somebody else', () => {
    const parsed = parseOptions(['--office', 'http://office:8081']);
    expect(parsed).toMatchObject({ office: 'http://office:8081', kill: 'none', kills: 0 });
    for (const more of [['--kill', 'worker'], ['--kills', '1'], ['--keep'], ['--unsafe', 'retry-on-loss']]) {
      expect(complaint('--office', 'http://office:8081', ...more)).toMatch(/what runs elsewhere is not touched/);
    }
  });

  it('freeze the executors at the moment of the cancel', () =>
    expect(parseOptions(['--cancel-at', '900', '--freeze']).cancel).toMatchObject({ freeze: true }));

  it('kill before the cancel where that is asked for', () => {
    const worker = ['--cancel-at', '900', '--kill', 'worker'];
    expect(parseOptions(worker)).toMatchObject({ kill: 'worker', killAt: 613, cancel: { atStep: 900 } });
    const early = ['--cancel-at', '900', '--kill-at', '100'];
    expect(parseOptions(early)).toMatchObject({ kill: 'worker', killAt: 100, cancel: { atStep: 900 } });
    const short = ['--cancel-at', '300', '--kill', 'coordinator'];
    expect(parseOptions(short)).toMatchObject({ kill: 'coordinator', killAt: 100, cancel: { atStep: 300 } });
  });
});

describe('options of the mission that cannot be', () => {
  it.each([
    ['frozen without a cancel', ['--freeze'], '--freeze needs --cancel-at'],
    ['a time for no cancel', ['--within', '5s'], '--within needs --cancel-at'],
    ['a time without a unit', ['--cancel-at', '9', '--within', '5'], 'a number with its unit'],
    ['no time', ['--cancel-at', '9', '--within', '0s'], 'from 1ms'],
    ['a cancel after the end', ['--count', '10', '--cancel-at', '30'], '--cancel-at 30 is never reached'],
    ['a kill after the end', ['--count', '10', '--kill-at', '30'], '--kill-at 30 is never reached'],
    ['a kill after the cancel', ['--cancel-at', '900', '--kill-at', '900'], 'the run is cancelled at step 900'],
    ['frozen and killed', ['--cancel-at', '900', '--freeze', '--kill', 'worker'], '--freeze cannot go with --kill'],
    ['frozen and killed later', ['--cancel-at', '900', '--freeze', '--kills', '2'], '--freeze cannot go with --kill'],
    ['unsafe and cancelled', ['--cancel-at', '900', '--unsafe', 'retry-on-loss'], '--unsafe cannot go with'],
  ])('are answered in words: %s', (_, argv, words) => expect(complaint(...argv)).toContain(words));
});
