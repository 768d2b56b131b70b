import fsSync from 'node:fs';
import fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { absent, applied, sha256, ToolFailure, unknown, type Retry, type Tool, type ToolVerdict } from '@holdfast/sdk';
import { z } from 'zod';
import { defineProbe, type Mark, type ProbeSettings } from '../probe.js';
import { stoppable, whileNotStopped } from '../while-not-stopped.js';
import { pathProblem, placeBelow } from './place.js';
import { Receipts, syncFolder, type Progress } from './receipts.js';

export type WriteFile = ProbeSettings & {
  /** The folder below which files are written. It must be there, on a file system of this machine that has hard links. */
  readonly root: string;
};

const input = z.strictObject({
  path: z.string().refine((path) => pathProblem(path) === null, {
    error: ({ input: path }) => `path: ${pathProblem(path as string) ?? 'it does not fit'}`,
  }),
  content: z.string(),
  encoding: z.enum(['utf8', 'base64']).default('utf8'),
});
const output = z.strictObject({ path: z.string(), bytes: z.int(), sha256: z.string() });
type Args = z.output<typeof input>;
type Result = z.output<typeof output>;

const DEFAULTS = { timeoutMs: 10_000, settleMs: 5_000 } as const;

/**
 * Writes a file below a root whole or not at all, once for each step, and replaces what is there. Settle window 5 s: the
 * write is one call of the operating system, made in the tick in which the guard was asked, and a disk that keeps it for
 * longer than that is broken.
 */
export const writeFileAtomically = (settings: WriteFile): Tool<Args, z.input<typeof output>> =>
  defineProbe(settings, {
    ...DEFAULTS,
    input,
    output,
    act: (args, context, mark) =>
      stoppable(
        context,
        (guard) => write(settings.root, args, { guard, mark }),
        (error) => failure(args, error),
      ),
    look: (args, { signal }, mark) => whileNotStopped(signal, look(settings.root, args, mark)),
  });

const write = async (
  given: string,
  args: Args,
  { guard, mark }: { readonly guard: () => void; readonly mark: Mark },
): Promise<Result> => {
  const content = contentOf(args);
  const { receipts, target, progress } = await readyToWrite(given, args, { content, mark });
  if (progress.state === 'ready') {
    guard();
    if (!move(progress.part, target, args)) await wasMoved(receipts, args, mark);
  }
  await receipts.empty(mark.marker);
  for (const changed of [dirname(target), receipts.folder(mark.marker)]) await syncFolder(changed);
  return resultOf(args, content);
};

type Ready = { readonly receipts: Receipts; readonly target: string; readonly progress: Progress };

const readyToWrite = async (
  given: string,
  args: Args,
  { content, mark }: { readonly content: Buffer; readonly mark: Mark },
): Promise<Ready> => {
  const root = await fs.realpath(given);
  const receipts = new Receipts(root);
  const target = await placeBelow(root, args.path);
  await fs.mkdir(receipts.folder(mark.marker), { recursive: true });
  const before = await receipts.progress(mark.marker);
  if (before.state === 'none') await receipts.prepare(mark.marker, content);
  return { receipts, target, progress: await receipts.progress(mark.marker) };
};

/** The effect, in one synchronous call right after the guard. False where another attempt of this step was first. */
const move = (part: string, target: string, args: Args): boolean => {
  try {
    fsSync.renameSync(part, target);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (REFUSED.has(code)) throw failure(args, error as NodeJS.ErrnoException);
    throw error;
  }
};

/** Either the part was moved by another attempt, or the folder of the target has gone. */
const wasMoved = async (receipts: Receipts, args: Args, { marker }: Mark): Promise<void> => {
  const now = await receipts.progress(marker);
  if (now.state === 'done') return;
  const gone = `${args.path} was not written: its folder has just been removed`;
  throw now.state === 'ready'
    ? new ToolFailure(gone, { code: 'ENOENT', retry: 'later', effect: 'none' })
    : new Error(`the receipt of ${args.path} has vanished while it was written`);
};

/** What the operating system says before it changes anything. */
const REFUSED: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EISDIR',
  'ENOTDIR',
  'EXDEV',
  'EROFS',
  'ENAMETOOLONG',
  'ELOOP',
]);
const PASSING: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'EBUSY',
  'EAGAIN',
  'EIO',
  'ENOENT',
]);

const failure = (args: Args, error: NodeJS.ErrnoException): ToolFailure => {
  const code = error.code ?? 'not_written';
  const retry: Retry = PASSING.has(code) || error.code === undefined ? 'later' : 'never';
  return new ToolFailure(`${args.path} was not written: ${error.message}`, {
    code,
    retry,
    effect: 'none',
    cause: error,
  });
};

const look = async (given: string, args: Args, { marker }: Mark): Promise<ToolVerdict<Result>> => {
  const root = await fs.realpath(given);
  const progress = await new Receipts(root).progress(marker).catch((error: Error) => error);
  if (progress instanceof Error) return unknown(progress.message);
  const content = contentOf(args);
  if (progress.state === 'none') return absent(`no content of ${marker} was ever ready in ${root}`);
  if (progress.state === 'ready')
    return absent(`the content of ${marker} lies ready in ${root} and was not moved to ${args.path}`);
  return applied(
    resultOf(args, content),
    `the content of ${marker} was moved to ${args.path}, ${await sinceThen(root, args, content)}`,
  );
};

const contentOf = (args: Args): Buffer => Buffer.from(args.content, args.encoding);

const resultOf = (args: Args, content: Buffer): Result => ({
  path: args.path,
  bytes: content.length,
  sha256: sha256(content),
});

/** For people only: what is there now says nothing about what was written then. */
const sinceThen = async (root: string, args: Args, content: Buffer): Promise<string> => {
  try {
    const path = `${root}/${args.path}`;
    const there = await fs.lstat(path);
    const isSame = there.isFile() && there.size === content.length && (await fs.readFile(path)).equals(content);
    return isSame ? 'and is there' : 'which holds something else by now';
  } catch (error) {
    return `where nothing can be read any more (${(error as NodeJS.ErrnoException).code ?? 'error'})`;
  }
};
