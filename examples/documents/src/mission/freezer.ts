import { spawn, type ChildProcess } from 'node:child_process';

/** Lets process groups stand still until they are woken. Frozen ones hear nothing, also not that this process is gone. */
export class Freezer {
  private readonly guard: ChildProcess;
  private woken = false;

  /** `pids`: the leaders of the groups, in the order in which they are frozen. */
  constructor(readonly pids: readonly number[]) {
    this.guard = guardOf(pids);
  }

  freeze(): void {
    if (this.woken) return;
    for (const pid of this.pids) signalGroup(pid, 'SIGSTOP');
  }

  wake(): void {
    if (this.woken) return;
    this.woken = true;
    for (const pid of this.pids.toReversed()) signalGroup(pid, 'SIGCONT');
    this.guard.stdin?.end('woken\n');
  }
}

// Its input ends without a word when this process dies, however it dies.
const guardOf = (pids: readonly number[]): ChildProcess => {
  const script = 'read -r _ || kill -s KILL -- "$@"';
  const groups = pids.map((pid) => `-${pid}`);
  const guard = spawn('/bin/sh', ['-c', script, 'guard', ...groups], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  return guard;
};

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
