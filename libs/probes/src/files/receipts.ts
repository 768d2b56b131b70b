import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { RECEIPTS } from './place.js';

/**
 * How far the write of a step has come.
 * - `none`: no attempt has its content ready
 * - `ready`: the content lies ready in `part`, and taking it to its place is the write
 * - `done`: it has been taken
 */
export type Progress = { readonly state: 'none' | 'done' } | { readonly state: 'ready'; readonly part: string };

/**
 * What is known of the writes below a root. A write prepares its content in a part, gives the part a second name, the
 * receipt, and then moves the part to its place. The receipt is given once for each step, so only one part counts; the move
 * takes the part away, in the same step of the file system that puts the content into its place. So a receipt without its
 * part says that the write was done, whatever has become of the file since, and there is no moment at which it lies.
 */
export class Receipts {
  constructor(private readonly root: string) {}

  /** Throws where the folder of receipts is missing: then this may not be the folder that was written in. */
  async progress(marker: string): Promise<Progress> {
    await fs.readdir(join(this.root, RECEIPTS)).catch((error: NodeJS.ErrnoException) => {
      throw new Error(
        `${this.root} has no readable folder ${RECEIPTS} (${error.code ?? error.message}): is it the right one, and mounted?`,
      );
    });
    const receipt = await inodeOf(this.receipt(marker));
    if (receipt === null) return { state: 'none' };
    // Read after the receipt: a part that is not there any more has been moved.
    for (const name of await fs.readdir(this.folder(marker))) {
      const part = join(this.folder(marker), name);
      if (name !== RECEIPT && (await inodeOf(part)) === receipt) return { state: 'ready', part };
    }
    return { state: 'done' };
  }

  /** Puts content on the disk as the part that counts, unless there is one: then that one counts. */
  async prepare(marker: string, content: Uint8Array): Promise<void> {
    const folder = this.folder(marker);
    await fs.mkdir(folder, { recursive: true });
    const part = join(folder, randomBytes(8).toString('hex'));
    await writeThrough(part, content);
    try {
      await fs.link(part, this.receipt(marker));
    } catch (error) {
      await fs.rm(part, { force: true });
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    for (const changed of [folder, join(this.root, RECEIPTS), this.root]) await syncFolder(changed);
  }

  /** After the move: the receipt no longer shares the content, which would keep it on the disk and open to later edits. */
  async empty(marker: string): Promise<void> {
    const other = join(this.folder(marker), randomBytes(8).toString('hex'));
    await fs.writeFile(other, '', { flag: 'wx' });
    await fs.rename(other, this.receipt(marker));
  }

  folder(marker: string): string {
    return join(this.root, RECEIPTS, marker);
  }

  private receipt(marker: string): string {
    return join(this.folder(marker), RECEIPT);
  }
}

const RECEIPT = 'receipt';

const inodeOf = async (path: string): Promise<bigint | null> => {
  try {
    const found = await fs.lstat(path, { bigint: true });
    if (!found.isFile()) throw new Error(`${path} is not a file`);
    return found.ino;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

const writeThrough = async (path: string, content: Uint8Array): Promise<void> => {
  const file = await fs.open(path, 'wx');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** What was renamed or linked in a folder is on the disk only then. */
export const syncFolder = async (folder: string): Promise<void> => {
  const opened = await fs.open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
};

/**
 * Removes the receipts of writes that were last touched before a moment (epoch ms), and says how many. The keys of runs
 * that are still open must not be among them: their writes would be made again.
 */
export const removeReceipts = async (root: string, before: number): Promise<number> => {
  const all = join(root, RECEIPTS);
  let removed = 0;
  for (const name of await fs.readdir(all)) {
    if (!/^hf[0-9a-f]{32}$/.test(name)) continue;
    const folder = join(all, name);
    if ((await fs.stat(folder)).mtimeMs >= before) continue;
    await fs.rm(folder, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
};
