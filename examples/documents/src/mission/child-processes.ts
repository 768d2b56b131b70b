import { readdirSync, readFileSync } from 'node:fs';

/** The Node.js children of a process, by what the system knows (Linux; elsewhere none are found). */
export const nodeChildrenOf = (parent: number): readonly number[] => {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => isNodeChild(pid, parent));
  } catch {
    return [];
  }
};

const isNodeChild = (pid: number, parent: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // `pid (name) state ppid …`; the name may hold anything, also spaces and brackets.
    const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return ppid === parent && /(^|\/)node$/.test(program);
  } catch {
    return false;
  }
};
