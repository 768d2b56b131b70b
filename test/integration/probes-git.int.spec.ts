import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, isAlive } from '@holdfast/dev';
import {
  gitCommit,
  keyMarker,
  probeContract,
  type Begun,
  type Fault,
  type GitCommit,
  type ProbeWorld,
} from '@holdfast/probes';
import { runTool, verifyTool, type Tool } from '@holdfast/sdk';

const base = mkdtempSync(join(tmpdir(), 'holdfast-git-commit-'));
const remote = join(base, 'remote.git');
const author = { name: 'Holdfast', email: 'holdfast@example.org' };
const SECRET = 'executor-secret-in-the-environment';

const git = (...args: string[]): string => execFileSync('git', ['-C', remote, ...args], { encoding: 'utf8' }).trim();
const toolOf = (more: Partial<GitCommit> = {}): Tool =>
  gitCommit({
    name: 'commit',
    version: '1',
    remote,
    branch: 'main',
    directory: join(base, 'local'),
    author,
    ...more,
  }) as Tool;
const tool = toolOf();
const noteOf = (content: string) => ({ message: 'A note', files: [{ path: 'notes/a note.md', content }] });
const shown = (path: string, branch = 'main'): string =>
  execFileSync('git', ['-C', remote, 'show', `${branch}:${path}`], { encoding: 'utf8' });

/** Something else that moves the branch. */
const commitElsewhere = (path: string): void => {
  const clone = mkdtempSync(join(base, 'clone-'));
  const run = (...args: string[]) =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { stdio: 'pipe' });
  execFileSync('git', ['clone', '--quiet', remote, clone], { stdio: 'pipe' });
  run('checkout', '-q', '-B', 'main', 'origin/main');
  writeFileSync(join(clone, path), 'elsewhere');
  run('add', '-A');
  run('commit', '-q', '-m', `Elsewhere ${path}`);
  run('push', '-q', 'origin', 'HEAD:main');
};

const hook = (name: 'pre-receive' | 'post-receive', script: string): (() => void) => {
  const path = join(remote, 'hooks', name);
  writeFileSync(path, `#!/bin/sh\ncd ${base}\n${script}\n`);
  chmodSync(path, 0o755);
  return () => rmSync(path);
};

/** The process of the remote that takes the push tells its id, then dies or waits. */
const fault = async (fault: Fault): Promise<Begun> => {
  switch (fault) {
    case 'cut-before':
      return hooked('pre-receive');
    case 'cut-after':
      return hooked('post-receive');
    case 'held':
      return hold();
    case 'away':
      return swapped(remote);
    case 'garbled':
      return swapped(join(remote, 'refs/heads/main'), 'neither a commit nor anything\n');
  }
};

const never = new Promise<void>(() => undefined);

const hooked = (name: 'pre-receive' | 'post-receive'): Begun => {
  const remove = hook(name, 'kill -9 $PPID');
  return { reached: never, end: async () => remove() };
};

const swapped = (path: string, instead?: string): Begun => {
  renameSync(path, `${path}.aside`);
  if (instead !== undefined) writeFileSync(path, instead);
  const end = async (): Promise<void> => {
    rmSync(path, { force: true });
    renameSync(`${path}.aside`, path);
  };
  return { reached: never, end };
};

const hold = (): Begun => {
  const [holding, told] = [join(base, 'holding'), join(base, 'told')];
  writeFileSync(holding, '');
  const remove = hook(
    'pre-receive',
    'echo $PPID > told.part; mv told.part told; while [ -e holding ]; do sleep 0.02; done',
  );
  const isTold = (): boolean => existsSync(told);
  const end = async (): Promise<void> => {
    const pid = isTold() ? Number(readFileSync(told, 'utf8')) : 0;
    remove();
    rmSync(holding);
    if (pid > 0) await eventually('the remote has ended', () => !isAlive(pid), 20_000);
    rmSync(told, { force: true });
  };
  return { reached: eventually('the remote is held', isTold, 20_000).then(() => undefined), end };
};

let world: ProbeWorld;
beforeAll(() => {
  process.env['HOLDFAST_TEST_SECRET'] = SECRET;
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  const tree = execFileSync('git', ['-C', remote, 'mktree'], { input: '', encoding: 'utf8' }).trim();
  const who = { GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@x', GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@x' };
  const first = execFileSync('git', ['-C', remote, 'commit-tree', tree, '-m', 'First'], {
    encoding: 'utf8',
    env: { ...process.env, ...who },
  }).trim();
  git('update-ref', 'refs/heads/main', first);
  world = {
    tool,
    args: (text) => ({ message: `A note: ${text}`, files: [{ path: 'notes/a note.md', content: text }] }),
    effects: async (key) => Number(git('rev-list', '--count', '--fixed-strings', `--grep=${keyMarker(key)}`, 'main')),
    fault,
    secrets: [SECRET],
  };
});
afterAll(() => {
  delete process.env['HOLDFAST_TEST_SECRET'];
  rmSync(base, { recursive: true, force: true });
});

describe('a commit', () => {
  for (const { name, run } of probeContract(() => world)) it(name, run);

  it('holds what was given, by the author, with the trailer', async () => {
    const args = {
      message: 'Many files\n\nSigned-off-by: Ann <ann@example.org>',
      files: [
        { path: 'größe "x"/日本.bin', content: 'AP8Q', encoding: 'base64' },
        { path: 'run.sh', content: '#!/bin/sh\n', executable: true },
      ],
    };
    expect(await runTool(tool, args, { key: 'many' })).toMatchObject({
      outcome: 'succeeded',
      result: { branch: 'main' },
    });
    expect(execFileSync('git', ['-C', remote, 'show', 'main:größe "x"/日本.bin'])).toEqual(
      Buffer.from([0x00, 0xff, 0x10]),
    );
    expect(git('ls-tree', 'main', 'run.sh')).toMatch(/^100755 /);
    expect(git('log', '-1', '--format=%an <%ae> %(trailers:key=Holdfast-Key,valueonly)', 'main')).toBe(
      `Holdfast <holdfast@example.org> ${keyMarker('many')}`,
    );
    await runTool(tool, { message: 'Gone', files: [{ path: 'run.sh', content: null }] }, { key: 'gone' });
    expect(git('ls-tree', 'main', 'run.sh')).toBe('');
  });

  it('is made once by two attempts of a step at once', async () => {
    const calls = await Promise.all([0, 0].map((attempt) => runTool(tool, noteOf('both'), { key: 'both', attempt })));
    expect(calls.filter(({ outcome }) => outcome === 'succeeded').length).toBeGreaterThan(0);
    expect(await world.effects('both')).toBe(1);
  });

  it('is not made over what somebody else has pushed meanwhile, and is made upon it by the next attempt', async () => {
    const held = hold();
    const call = runTool(tool, noteOf('mine'), { key: 'moved' });
    await held.reached;
    git('update-ref', 'refs/heads/main', git('rev-parse', 'main~1'));
    await held.end();
    expect(await call).toMatchObject({ outcome: 'failed', retry: 'now', failure: { code: 'branch_moved' } });
    commitElsewhere('theirs');
    expect(await runTool(tool, noteOf('mine'), { key: 'moved', attempt: 1 })).toMatchObject({ outcome: 'succeeded' });
    expect([shown('theirs'), shown('notes/a note.md')]).toEqual(['elsewhere', 'mine']);
  });

  it('that a hook of the remote refuses is refused for good', async () => {
    const remove = hook('pre-receive', 'echo no entry >&2; exit 1');
    const outcome = await runTool(tool, noteOf('refused'), { key: 'refused' });
    remove();
    expect(outcome).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'push_refused' } });
    expect(await world.effects('refused')).toBe(0);
  });

  it('knows nothing of the surroundings of its process, and neither do hooks', async () => {
    const remove = hook('pre-receive', 'env > seen');
    await runTool(tool, noteOf('environment'), { key: 'environment' });
    remove();
    const seen = readFileSync(join(base, 'seen'), 'utf8');
    expect(seen).toContain('PATH=');
    expect(seen).not.toContain(SECRET);
  });

  it('stays in its folder', async () => {
    const under = toolOf({ under: 'docs' });
    await runTool(under, { message: 'x', files: [{ path: 'a.md', content: 'a' }] }, { key: 'under' });
    expect(shown('docs/a.md')).toBe('a');
    for (const path of ['../a', '/a', 'a//b', '.git/config', 'x/.GIT/hooks/y', 'a\0b', '']) {
      expect(await runTool(under, { message: 'x', files: [{ path, content: 'a' }] })).toMatchObject({
        failure: { code: 'invalid_args' },
      });
    }
    const twice = [
      { path: 'a', content: '1' },
      { path: 'a', content: null },
    ];
    expect(await runTool(under, { message: 'x', files: twice })).toMatchObject({ failure: { code: 'invalid_args' } });
    const over = await runTool(
      toolOf(),
      {
        message: 'x',
        files: [
          { path: 'docs', content: 'a file' },
          { path: 'docs/b', content: '' },
        ],
      },
      { key: 'over' },
    );
    expect(over).toMatchObject({ outcome: 'failed', retry: 'never' });
    expect(shown('docs/a.md')).toBe('a');
  });

  it('cannot claim the trailer of another step', async () => {
    const message = `x\n\nHoldfast-Key: ${keyMarker('other')}`;
    expect(await runTool(tool, { ...noteOf('x'), message })).toMatchObject({ failure: { code: 'invalid_args' } });
  });

  it('is neither made nor absent where there is no such branch or no git', async () => {
    for (const other of [toolOf({ branch: 'nowhere' }), toolOf({ program: 'no-such-git' })]) {
      expect(await runTool(other, noteOf('x'))).toMatchObject({ outcome: 'failed' });
      expect(await verifyTool(other, noteOf('x'))).toMatchObject({ verdict: 'unknown' });
    }
  });

  it('tells no password of its remote', async () => {
    const secret = toolOf({ remote: 'http://ann:very-secret-pass@127.0.0.1:1/x.git' });
    const said = JSON.stringify([await runTool(secret, noteOf('x')), await verifyTool(secret, noteOf('x'))]);
    expect(said).toContain('127.0.0.1');
    expect(said).not.toContain('very-secret-pass');
  });

  it.each(['', '-u', './remote.git', '../remote.git'])('has no remote named %j', (remote) =>
    expect(() => toolOf({ remote })).toThrow('must be a URL or an absolute path'),
  );

  it.each(['-x', '', 'a..b', 'a b', 'x.lock', 'x/', '/x', 'a@{1}', 'a//b', '.x'])('has no branch named %j', (branch) =>
    expect(() => toolOf({ branch })).toThrow('is no name of a branch'),
  );
});
