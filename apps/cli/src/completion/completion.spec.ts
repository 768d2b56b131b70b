import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namespace } from '../namespace.fixture.js';

const script = async (shell: string): Promise<string> => {
  const { run, out } = await namespace({ prepared: false });
  expect(await run('completion', shell)).toBe(0);
  return out();
};

/** What bash offers after these words, the last of which is being written. */
const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
  const file = join(mkdtempSync(join(tmpdir(), 'holdfast-')), 'completion.bash');
  writeFileSync(file, await script('bash'));
  const call = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; echo "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['--norc', '-c', call, file, 'holdfast', ...words], { encoding: 'utf8' });
  return said
    .trim()
    .split(' ')
    .filter((word) => word !== '');
};

describe('completion', () => {
  it.each([
    [['do'], ['doctor']],
    [['esc'], ['escalations']],
    [
      ['cancel', '--mode', ''],
      ['abort', 'drain'],
    ],
    [['--json', '--as', 'cancel', 'dead-letters', '--send'], ['--send-again']],
    [['projections', 're'], ['rebuild']],
    [['projections', 'rebuild', '--y'], ['--yes']],
    [['completion', ''], expect.arrayContaining(['bash', 'zsh', 'fish']) as string[]],
    [
      ['runs', '--status', 'r'],
      ['running', 'recovering'],
    ],
    [['submit', '--run', ''], []],
    [['submit', 'plan.yaml', '--concur'], ['--concurrency-key']],
  ])('of %j in bash is %j', async (words, found) => expect(await offered(...words)).toEqual(found));

  it.each(['bash', 'zsh', 'fish'])('knows every command in %s', async (shell) => {
    const text = await script(shell);
    const { run, out } = await namespace({ prepared: false });
    await run('--help');
    const commands = [...out().matchAll(/^ {2}([a-z][a-z-]+)(\||\s)/gm)].map(([, name]) => name ?? '');
    expect(commands.length).toBeGreaterThan(20);
    for (const command of commands) expect(text).toContain(command);
    // What is not for people is not offered either.
    expect(text).not.toContain('--escalation ');
  });

  it('refuses a shell that it does not know', async () => {
    const { run, err } = await namespace({ prepared: false });
    expect(await run('completion', 'tcsh')).toBe(2);
    expect(err()).toContain('Allowed choices are bash, zsh, fish');
  });
});
