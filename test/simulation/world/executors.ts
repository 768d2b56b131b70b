import { Worker } from '../../../apps/executor/src/worker/worker.js';
import type { ToParent, ToWorker } from '../../../apps/executor/src/channel/channel.js';
import type { StartWorker, WorkerNews } from '../../../apps/executor/src/parent/worker-process.js';
import type { SimProcess } from '../engine/process.js';

/** A worker's process with what its parent and the checks must know of it. */
export type WorkerLife = {
  readonly process: SimProcess;
  /** Sessions that its parent has opened for it. */
  readonly sessions: Set<string>;
  /** Its process is gone, by whatever cause. */
  gone(code: number | null): void;
  parentLost(): void;
};

export type WorkerStarter = (
  lines: { readonly tell: (message: ToParent) => void; readonly drained: () => void },
  life: (worker: Worker) => void,
) => SimProcess;

/** Messages pass between parent and worker in order, each at its own time. */
export const channel = (parent: SimProcess, begin: WorkerStarter, opened: (life: WorkerLife) => void): StartWorker => {
  return (news: WorkerNews) => {
    let worker: Worker | null = null;
    let isOver = false;
    const sessions = new Set<string>();
    const toParent = (run: () => void): void => parent.after(1, 'receive from worker', run);
    const gone = (code: number | null): void => {
      if (isOver) return;
      isOver = true;
      process.kill();
      toParent(() => news.gone({ code, signal: code === null ? 'SIGKILL' : null }));
    };
    const process = begin(
      {
        tell: (message) => process.leave('send to parent', () => toParent(() => news.said(message))),
        drained: () => gone(0),
      },
      (started) => (worker = started),
    );
    const parentLost = (): void => process.after(1, 'parent lost', () => worker?.parentLost());
    opened({ process, sessions, gone, parentLost });
    return {
      tell: (message: ToWorker) =>
        parent.leave('send to worker', () => {
          if (message.type === 'open-session') sessions.add(message.session);
          process.after(1, 'receive from parent', () => worker?.receive(message));
        }),
      kill: () => gone(null),
    };
  };
};
