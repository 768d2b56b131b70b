import { readdirSync, readFileSync } from 'node:fs';

/** The Node.js children of a process: the watcher that ends a service with its test is a shell. */
export const nodeChildrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => isNodeChild(pid, parent));

const isNodeChild = (pid: number, parent: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // `pid (name) state ppid …`; the name may hold anything, also spaces and brackets.
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || Number(ppid) !== parent) return false;
    // The first word only: the watcher's further words are the command that it watches.
    return /^([^\0]*\/)?node\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
};

/** All processes that were started with this variable in their environment. */
export const pidsWithVariable = (name: string, value: string): readonly number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${name}=${value}`);
      } catch {
        return false;
      }
    });

/** Sends a signal; a process that is gone already is no error. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Whether a process is stopped: by a signal, or by itself at a failpoint. */
export const isStopped = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).startsWith(') T');
  } catch {
    return false;
  }
};
