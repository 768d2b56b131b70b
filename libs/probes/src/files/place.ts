import fs from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { Buffer } from 'node:buffer';
import { ToolFailure } from '@holdfast/sdk';

/** Where receipts lie, below the root. */
export const RECEIPTS = '.holdfast';

const PATH_BYTES_MAX = 1_024;

/** What is wrong with a path as a model may give it, or null. */
export const pathProblem = (path: string): string | null => {
  if (path === '' || Buffer.byteLength(path) > PATH_BYTES_MAX) return `it must hold 1 to ${PATH_BYTES_MAX} bytes`;
  if (/\p{Cc}/u.test(path)) return 'it holds a control character';
  if (isAbsolute(path) || path.startsWith('/')) return 'it must be relative to the root';
  const parts = path.split(/[/\\]/);
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'it has an empty part, . or ..';
  // Some file systems do not tell upper and lower case apart.
  return parts[0]?.toLowerCase() === RECEIPTS ? `${RECEIPTS} is kept by this tool` : null;
};

/** The whole path of a file below the root, whose folder is there and lies, links followed, below the root as well. */
export const placeBelow = async (root: string, path: string): Promise<string> => {
  const folder = dirname(join(root, path));
  await isBelow(root, await deepestThere(folder));
  await fs.mkdir(folder, { recursive: true });
  const real = await isBelow(root, folder);
  return join(real, path.slice(path.lastIndexOf('/') + 1));
};

const isBelow = async (root: string, folder: string): Promise<string> => {
  const real = await fs.realpath(folder);
  if (real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return real;
  throw new ToolFailure(`${folder} leads out of ${root}: nothing was written`, {
    code: 'outside_root',
    retry: 'never',
    effect: 'none',
  });
};

const deepestThere = async (folder: string): Promise<string> => {
  try {
    await fs.lstat(folder);
    return folder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return deepestThere(dirname(folder));
  }
};
