import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const living = new Set<ChildProcess>();
let watching = false;

/**
 * A server lives in the process group of whoever started it, so that it is gone when that group is ended. Should this
 * process leave by itself, its servers are ended first.
 */
export const endsWithUs = (child: ChildProcess): void => {
  living.add(child);
  child.once('exit', () => living.delete(child));
  if (watching) return;
  watching = true;
  process.on('exit', () => {
    for (const one of living) signalTree(one, 'SIGKILL');
  });
};

/** Sends a signal to a process and to what it has started, such as the program behind `npx`. */
export const signalTree = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  for (const pid of [...descendantsOf(child.pid).toReversed(), child.pid]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It is gone already.
    }
  }
};

/** Parents before their children. Only where there is /proc; elsewhere nobody is found. */
const descendantsOf = (root: number): readonly number[] => {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of processes()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found: number[] = [];
  for (let next = children.get(root) ?? []; next.length > 0; next = next.flatMap((pid) => children.get(pid) ?? [])) {
    found.push(...next);
  }
  return found;
};

const processes = (): readonly (readonly [pid: number, parent: number])[] => {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .flatMap((entry) => parentOf(entry));
  } catch {
    return [];
  }
};

const parentOf = (entry: string): readonly (readonly [number, number])[] => {
  try {
    // The name of the program stands in brackets and may hold anything.
    const after = readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return [[Number(entry), Number(after.split(' ')[1])]];
  } catch {
    return [];
  }
};
