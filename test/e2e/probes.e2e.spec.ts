import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir, eventually, isAlive, startKafka, type KafkaCluster } from '@holdfast/dev';
import { plan, step } from './support/plans.js';
import type { History } from './support/runs.js';
import { World } from './support/world.js';

const fates = ['applied', 'absent'] as const;
type Fate = (typeof fates)[number];

const base = dataDir('probes');
const remoteOf = (fate: Fate): string => join(base, `${fate}.git`);
const git = (fate: Fate, ...args: string[]): string =>
  execFileSync('git', ['-C', remoteOf(fate), ...args], { encoding: 'utf8' }).trim();

/**
 * A repository whose receiving process tells its id and waits: after it has moved the branch, or before. It ends with the
 * worker's processes.
 */
const makeRemote = (fate: Fate): void => {
  const who = { GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@x', GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@x' };
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remoteOf(fate)]);
  const tree = execFileSync('git', ['-C', remoteOf(fate), 'mktree'], { input: '', encoding: 'utf8' }).trim();
  const env = { ...process.env, ...who };
  const first = execFileSync('git', ['-C', remoteOf(fate), 'commit-tree', tree, '-m', 'First'], {
    encoding: 'utf8',
    env,
  }).trim();
  git(fate, 'update-ref', 'refs/heads/main', first);
  const hook = join(remoteOf(fate), 'hooks', fate === 'applied' ? 'post-receive' : 'pre-receive');
  writeFileSync(hook, '#!/bin/sh\necho $PPID > told.part; mv told.part told\nwhile [ ! -e go ]; do sleep 0.02; done\n');
  chmodSync(hook, 0o755);
};
const told = (fate: Fate): string => join(remoteOf(fate), 'told');
const receiver = (fate: Fate): number => Number(readFileSync(told(fate), 'utf8'));

const toolFile = (): string => {
  const commits = fates.map(
    (fate) => `
    - { kind: git-commit, name: commit-${fate}, version: '1', settleMs: 1000, remote: ${remoteOf(fate)}, branch: main,
        directory: ./local-${fate}, author: { name: Holdfast, email: holdfast@example.org } }`,
  );
  const path = join(base, 'tools.yaml');
  writeFileSync(
    path,
    `probes:\n  tools:\n    - { kind: file, name: write-note, version: '1', root: ./notes }${commits.join('')}\n`,
  );
  return path;
};

const programOf = (fate: Fate) =>
  plan([
    step(
      'commit',
      `commit-${fate}`,
      { message: 'A note', files: [{ path: 'note.md', content: fate }] },
      { timeoutMs: 5_000 },
    ),
    step(
      'note',
      'write-note',
      { path: `${fate}.md`, content: { $from: 'steps.commit.commit' } },
      { after: ['commit'], timeoutMs: 10_000 },
    ),
  ]);

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  mkdirSync(join(base, 'notes'));
  for (const fate of fates) makeRemote(fate);
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers, env: { HOLDFAST_TOOLS: toolFile() } });
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
  rmSync(base, { recursive: true, force: true });
});

describe('a worker that is killed while it pushes commits', () => {
  const histories = new Map<Fate, History>();

  // One kill hits both calls: one whose commit is there, and one whose commit never will be.
  beforeAll(async () => {
    const runIds = await Promise.all(fates.map((fate) => world.runs.id(`commit-${fate}`)));
    const both = fates.map((fate, index) => ({ fate, runId: runIds[index] as string }));
    await Promise.all(both.map(({ fate, runId }) => world.runs.submit(runId, programOf(fate))));
    await eventually('the pushes have arrived', () => fates.every((fate) => existsSync(told(fate))), 60_000);
    const pids = fates.map(receiver);
    world.member('executor-1').killWorker();
    await eventually('the remotes have ended', () => !pids.some(isAlive), 20_000);
    for (const fate of fates) writeFileSync(join(remoteOf(fate), 'go'), '');
    for (const { fate, runId } of both) {
      expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
      histories.set(fate, await world.runs.history(runId));
    }
  });

  it.each(fates)('leaves a commit that is found %s, and is there once in the end', (fate) => {
    const history = histories.get(fate) as History;
    expect(history.all('DoubtSettled').map(({ data }) => data.verdict)).toEqual([fate]);
    expect(history.all('StepScheduled').map(({ data }) => data.stepId)).toEqual(
      fate === 'applied' ? ['commit', 'note'] : ['commit', 'commit', 'note'],
    );
    expect(git(fate, 'rev-list', '--count', 'main')).toBe('2');
    expect(git(fate, 'log', '-1', '--format=%B', 'main')).toContain('Holdfast-Key: hf');
    // The step that follows was given the commit, recovered or made.
    expect(readFileSync(join(base, 'notes', `${fate}.md`), 'utf8')).toBe(git(fate, 'rev-parse', 'main'));
  });
});
