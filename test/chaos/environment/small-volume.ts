import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir, eventually, spawnService } from '@holdfast/dev';
import { Opened } from './opened.js';

/** Where a broker keeps its data. It can be made full without harm to anything else. */
export type SmallVolume = {
  readonly dir: string;
  /** In words, how `fill` is done here. */
  readonly kind: string;
  /** The process with this pid finds no more room here. */
  fill(pid: number): void;
  /** There is room again for the next process. */
  free(): void;
  close(): Promise<void>;
};

/** A file system of its own with a fixed size, or, where none may be mounted, a folder in which no file may grow. */
export const openSmallVolume = async (megabytes: number): Promise<SmallVolume> =>
  (await mounted(megabytes)) ?? limited();

/**
 * In memory, mounted in the mount namespace of a process that does nothing else, and reached through that process: it
 * needs no rights beyond a user namespace, nobody else sees it, and it is gone with the process, however that ends.
 */
const mounted = (megabytes: number): Promise<SmallVolume | null> =>
  Opened.all(async (opened) => {
    const at = dataDir('volume');
    const mount = `mount -t tmpfs -o size=${megabytes}m tmpfs "$0" && exec sleep infinity`;
    const holder = await spawnService({
      name: 'the holder of a small volume',
      command: 'unshare',
      args: ['--map-root-user', '--mount', 'sh', '-c', mount, at],
      logFile: join(at, 'holder.log'),
    });
    opened.add(holder, (one) => one.stop());
    await eventually('the small volume is there, or not allowed', () => !holder.running || isMounted(holder.pid, at));
    if (!holder.running) return null;
    const dir = `/proc/${holder.pid}/root${at}`;
    const ballast = join(dir, 'ballast');
    return {
      dir,
      kind: `no room left on a volume of ${megabytes} MiB`,
      fill: () => fill(ballast),
      free: () => rmSync(ballast, { force: true }),
      close: () => opened.close(),
    };
  });

const isMounted = (pid: number, at: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/mounts`, 'utf8').includes(at);
  } catch {
    return false; // it has just ended
  }
};

const limited = (): SmallVolume => ({
  dir: dataDir('volume'),
  kind: 'no file may grow',
  fill: (pid) => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=1']),
  free: () => undefined,
  close: () => Promise.resolve(),
});

const BLOCK = Buffer.alloc(64 * 1_024);

const fill = (file: string): void => {
  for (let size = BLOCK.length; size > 0; size = size === 1 ? 0 : size >> 1) {
    while (written(file, BLOCK.subarray(0, size)));
  }
};

/** Whether there was room. */
const written = (file: string, bytes: Buffer): boolean => {
  try {
    writeFileSync(file, bytes, { flag: 'a' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
};
