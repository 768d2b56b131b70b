import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolFailure, type Retry } from '@holdfast/sdk';
import { git, type GitPlace, type GitRun } from './git.js';

export const TRAILER = 'Holdfast-Key';

/** A file as it is to be; without content it is to be gone. */
export type Change = { readonly path: string; readonly content: Buffer | null; readonly executable: boolean };

/** A branch of a remote repository, seen through a bare repository of this machine. */
export class Branch {
  constructor(
    private readonly place: GitPlace,
    private readonly remote: string,
    private readonly name: string,
  ) {}

  /** Makes the local repository, if it is not there yet. */
  async open(): Promise<void> {
    await mkdir(this.place.directory, { recursive: true });
    if (await this.isThere()) return;
    const made = await git(this.place, ['init', '--quiet', '--bare', '.']);
    // Another call may make it at the same time.
    if (made.code !== 0 && !(await this.isThere())) throw this.failed('init', made);
  }

  private async isThere(): Promise<boolean> {
    return (await git(this.place, ['--git-dir=.', 'rev-parse', '--git-dir'])).code === 0;
  }

  /** The commit that the branch points to at the remote, fetched. A branch that is not there is a failure. */
  async tip(): Promise<string> {
    const ref = `refs/heads/${this.name}`;
    const listed = await this.run(['ls-remote', '--quiet', '--', this.remote, ref]);
    const tip = listed.out
      .split('\n')
      .map((line) => line.split('\t'))
      .find(([, name]) => name === ref)?.[0];
    if (tip === undefined) throw this.failure('the remote has no such branch', 'no_branch', 'never');
    // A name of its own: another call may fetch the same branch at the same time.
    const own = `refs/holdfast/${randomBytes(8).toString('hex')}`;
    await this.run(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', this.remote, `+${ref}:${own}`]);
    const fetched = (await this.run(['rev-parse', '--verify', own])).out.trim();
    // What was fetched stays known, so that the next fetch brings only what is new. Somebody may do the same just now.
    await git(this.place, ['update-ref', `refs/holdfast/seen/${this.name}`, fetched]);
    await git(this.place, ['update-ref', '-d', own]);
    return fetched;
  }

  /** The first commit up to this one whose message has the step's trailer. */
  async findTrailer(tip: string, marker: string): Promise<string | null> {
    const line = `${TRAILER}: ${marker}`;
    const found = await this.run(['log', '--format=%H', '--fixed-strings', `--grep=${line}`, tip, '--']);
    return found.out.trim().split('\n').at(-1) || null;
  }

  /** Writes a commit into the local repository. */
  async commit(tip: string, changes: readonly Change[], message: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-git-'));
    try {
      const place = { ...this.place, env: { ...this.place.env, GIT_INDEX_FILE: join(folder, 'index') } };
      await this.run(['read-tree', tip], undefined, place);
      const gone = changes
        .filter(({ content }) => content === null)
        .map(({ path }) => `0 ${'0'.repeat(40)}\t${path}\0`);
      await this.run(['update-index', '-z', '--index-info'], gone.join(''), place);
      const entries: string[] = [];
      for (const change of changes)
        if (change.content !== null) entries.push(await this.entryOf(change, change.content));
      // A file that would take the place of a folder, or lie below another file, is refused here.
      await this.run(
        ['update-index', '--add', ...entries.flatMap((entry) => ['--cacheinfo', entry])],
        undefined,
        place,
      );
      const tree = (await this.run(['write-tree'], undefined, place)).out.trim();
      return (await this.run(['commit-tree', tree, '-p', tip], message, place)).out.trim();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The effect: moves the branch at the remote, if it still points to where the commit was made. */
  push(commit: string, tip: string): Promise<GitRun> {
    const ref = `refs/heads/${this.name}`;
    const lease = `--force-with-lease=${ref}:${tip}`;
    return git(this.place, ['push', '--porcelain', '--no-verify', lease, '--', this.remote, `${commit}:${ref}`]);
  }

  private async entryOf({ path, executable }: Change, content: Buffer): Promise<string> {
    const blob = (await this.run(['hash-object', '-w', '--stdin'], content)).out.trim();
    return `${executable ? '100755' : '100644'},${blob},${path}`;
  }

  private async run(
    args: readonly string[],
    input?: string | Uint8Array,
    place: GitPlace = this.place,
  ): Promise<GitRun> {
    const run = await git(place, args, input);
    if (run.code === 0) return run;
    throw this.failed(args[0] ?? '', run);
  }

  private failed(command: string, { code, err }: GitRun): ToolFailure {
    // Paths that cannot stand in one tree will not be able to later.
    const retry = command === 'update-index' ? 'never' : 'later';
    return this.failure(`git ${command} ended with ${code}: ${err.trim()}`, 'git_failed', retry);
  }

  /** Nothing that fails before a push has changed anything outside. */
  failure(why: string, code: string, retry: Retry): ToolFailure {
    return new ToolFailure(this.withoutPassword(`nothing was committed to ${this.name}: ${why}`), {
      code,
      retry,
      effect: 'none',
    });
  }

  /** Git names the remote in what it says, with whatever stands in it. */
  withoutPassword(text: string): string {
    if (!URL.canParse(this.remote)) return text;
    const { username, password } = new URL(this.remote);
    const hidden = [password, decodeURIComponent(password), ...(password === '' ? [username] : [])].filter(
      (one) => one !== '',
    );
    return hidden.reduce((shown, one) => shown.replaceAll(one, '***'), text);
  }
}
