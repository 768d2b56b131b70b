import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder, the same from sources and from the build. */
export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** The built program of a service. */
export const serviceProgram = (name: string): string => {
  const program = join(repositoryRoot, 'apps', name, 'dist', 'main.js');
  if (!existsSync(program)) throw new Error(`${program} is not built: run npx tsc --build first`);
  return program;
};

/** Everything that is made while running and must not be committed. */
export const stateDir = join(repositoryRoot, '.holdfast');

/**
 * A fresh empty folder for one use by this process, under `.holdfast/data`.
 *
 * Folders whose process is gone are swept here, so a killed process leaves no data behind for long.
 */
export const dataDir = (name: string): string => {
  const parent = join(stateDir, 'data');
  mkdirSync(parent, { recursive: true });
  sweep(parent);
  const dir = join(parent, `${name}.${process.pid}.${randomBytes(4).toString('hex')}`);
  mkdirSync(dir);
  return dir;
};

const sweep = (parent: string): void => {
  for (const entry of readdirSync(parent)) {
    const pid = Number(/\.(\d+)\.[0-9a-f]{8}$/.exec(entry)?.[1] ?? Number.NaN);
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(parent, entry), { recursive: true, force: true });
  }
};

/** Whether a process with this pid runs. One that has ended and was not yet collected by its parent does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isUncollected(pid);
};

const isUncollected = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    return false; // not Linux, or gone meanwhile
  }
};

/** The full path of a command, as a shell would find it; `null` if there is none. */
export const findCommand = (command: string): string | null => {
  const candidates = command.includes('/')
    ? [command]
    : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, command));
  return candidates.find(isExecutable) ?? null;
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
