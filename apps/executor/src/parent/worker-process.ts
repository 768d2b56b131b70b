import { fork, type ChildProcess } from 'node:child_process';
import type { ToParent, ToWorker, WorkerConfig } from '../channel/channel.js';

export type WorkerNews = {
  said(message: ToParent): void;
  /** The process is gone, and with it everything it had started in its process group. */
  gone(exit: Exit): void;
};
export type Exit = { readonly code: number | null; readonly signal: string | null };

/** A worker as its parent handles it. */
export type WorkerHandle = {
  tell(message: ToWorker): void;
  kill(): void;
};

export type StartWorker = (news: WorkerNews) => WorkerHandle;

/** Starts `module`, with its configuration, in a process and process group of its own. */
export const forkWorker =
  (module: string, config: WorkerConfig): StartWorker =>
  (news) => {
    const child = fork(module, [], { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let over = false;
    const end = (exit: Exit): void => {
      if (over) return;
      over = true;
      // Whatever a tool has started may still act; the session has ended only when that is gone as well.
      killGroup(child);
      news.gone(exit);
    };
    child.on('message', (message) => news.said(message as ToParent));
    child.on('exit', (code, signal) => end({ code, signal }));
    child.on('error', () => {
      // Without a process there never was a session to end; with one, `exit` tells.
      if (child.pid === undefined) end({ code: null, signal: null });
    });
    if (child.connected) child.send(config, () => undefined);
    return {
      tell: (message) => {
        // A channel that broke is followed by `exit`, which says what it means.
        if (child.connected) child.send(message, () => undefined);
      },
      kill: () => killGroup(child),
    };
  };

const killGroup = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
};
