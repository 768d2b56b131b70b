import {
  absent,
  applied,
  InvalidTool,
  ToolFailure,
  type Tool,
  type ToolContext,
  type ToolVerdict,
} from '@holdfast/sdk';
import { z } from 'zod';
import { defineProbe, type Mark, type ProbeSettings } from '../probe.js';
import { stoppable, whileNotStopped } from '../while-not-stopped.js';
import { Branch, TRAILER, type Change } from './branch.js';
import type { GitRun } from './git.js';

export type GitCommit = ProbeSettings & {
  /** Where the branch is: a URL, or the absolute path of a repository. */
  readonly remote: string;
  readonly branch: string;
  /** A folder for a bare repository of this tool; it is made, kept and fetched into. */
  readonly directory: string;
  readonly author: { readonly name: string; readonly email: string };
  /** The folder of the repository that may be changed; default all of it. */
  readonly under?: string | undefined;
  /** Further variables for git, such as `GIT_SSH_COMMAND`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The program; default `git`, 2.29 or newer. */
  readonly program?: string | undefined;
};

const FILES_MAX = 200;

const file = z.strictObject({
  path: z.string().refine((path) => isPath(path), 'path: must be relative, without empty parts, ., .. or .git'),
  /** Null removes the file. */
  content: z.string().nullable(),
  encoding: z.enum(['utf8', 'base64']).default('utf8'),
  executable: z.boolean().default(false),
});
const input = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1)
    .max(16_384)
    .refine((message) => !message.includes(`${TRAILER}:`), `message: ${TRAILER} is written by the tool`)
    .refine((message) => !message.includes('\0'), 'message: it holds a NUL'),
  files: z
    .array(file)
    .min(1)
    .max(FILES_MAX)
    .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, 'files: each path only once'),
});
const output = z.strictObject({ commit: z.string(), branch: z.string() });
type Args = z.output<typeof input>;
type Result = z.output<typeof output>;

const DEFAULTS = { timeoutMs: 60_000, settleMs: 60_000 } as const;

const isPath = (path: string): boolean => path !== '' && !/[\p{Cc}\\]/u.test(path) && path.split('/').every(isPart);
const isPart = (part: string): boolean => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git';

/**
 * Commits files to a branch of a remote repository, once for each step: the commit carries the step's marker in a trailer,
 * and the branch is moved only from where it was seen. Settle window 60 s: a push whose client has gone may still be in a
 * hook of the server. One that lands even later finds the branch moved, once a next attempt has committed.
 */
export const gitCommit = (settings: GitCommit): Tool<Args, z.input<typeof output>> => {
  checkSettings(settings);
  return defineProbe(settings, {
    ...DEFAULTS,
    input,
    output,
    spawns: true,
    act: (args, context, mark) => stoppable(context, (guard) => commit(settings, args, { context, guard, mark })),
    look: (_, { signal }, mark) => whileNotStopped(signal, look(settings, mark, signal)),
  });
};

const checkSettings = ({ name, version, remote, branch, under = '' }: GitCommit): void => {
  const refuse = (problem: string): never => {
    throw new InvalidTool(`tool ${name}@${version}: ${problem}`);
  };
  // Git would take a relative path from the tool's own repository.
  if (!/^[^-.]/.test(remote)) refuse(`remote "${remote}" must be a URL or an absolute path`);
  if (!/^(?!-)(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))[A-Za-z0-9][\w./-]*(?<![./])$/.test(branch))
    refuse(`"${branch}" is no name of a branch`);
  if (under !== '' && !isPath(under)) refuse(`"${under}" is no folder of a repository`);
};

const branchOf = (
  { remote, branch, directory, author, env = {}, program = 'git' }: GitCommit,
  signal: AbortSignal,
): Branch => {
  const { name, email } = author;
  const who = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  return new Branch({ program, directory, env: { ...who, ...env }, signal }, remote, branch);
};

type Committing = { readonly context: ToolContext; readonly guard: () => void; readonly mark: Mark };

const commit = async (settings: GitCommit, args: Args, { context, guard, mark }: Committing): Promise<Result> => {
  const branch = branchOf(settings, context.signal);
  await branch.open();
  const tip = await branch.tip();
  const earlier = await branch.findTrailer(tip, mark.marker);
  if (earlier !== null) return { commit: earlier, branch: settings.branch };
  const message = `${args.message}\n\n${TRAILER}: ${mark.marker}\n`;
  const made = await branch.commit(tip, changesOf(args, settings.under), message);
  guard();
  const pushed = await branch.push(made, tip);
  if (pushed.code === 0) return { commit: made, branch: settings.branch };
  throw (
    refusal(branch, pushed) ??
    new Error(branch.withoutPassword(`git push ended with ${pushed.code}: ${pushed.err.trim()}`))
  );
};

const changesOf = ({ files }: Args, under: string | undefined): readonly Change[] =>
  files.map(({ path, content, encoding, executable }) => ({
    path: under === undefined || under === '' ? path : `${under}/${path}`,
    content: content === null ? null : Buffer.from(content, encoding),
    executable,
  }));

/** What the remote itself has said of the branch (`!` in the porcelain form): it has not moved it. */
const refusal = (branch: Branch, { out }: GitRun): ToolFailure | null => {
  const [line] = out.split('\n').filter((one) => one.startsWith('!'));
  const [, , said = ''] = line?.split('\t') ?? [];
  // Of "[remote failure]" nobody knows: the connection broke before the remote has reported.
  if (!/^\[(remote )?rejected\]/.test(said)) return null;
  const passing =
    /stale info|fetch first|non-fast-forward|failed to update ref|cannot lock ref|failed to lock|reference already exists/.test(
      said,
    );
  return branch.failure(
    `the remote has refused it: ${said}`,
    passing ? 'branch_moved' : 'push_refused',
    passing ? 'now' : 'never',
  );
};

const look = async (settings: GitCommit, { marker }: Mark, signal: AbortSignal): Promise<ToolVerdict<Result>> => {
  const branch = branchOf(settings, signal);
  await branch.open();
  const tip = await branch.tip();
  const found = await branch.findTrailer(tip, marker);
  if (found === null) return absent(`${settings.branch} is at ${tip}, and no commit of it has ${TRAILER}: ${marker}`);
  return applied(
    { commit: found, branch: settings.branch },
    `${settings.branch} has ${found} with ${TRAILER}: ${marker}`,
  );
};
