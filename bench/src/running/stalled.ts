import type { History } from './history.js';

const PATIENCE_MS = 60_000;

/** Rejects once no lane has told anything for a minute; never fulfilled. */
export const stalled = (history: History, folder: string): Promise<never> =>
  new Promise((_, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const again = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        unsubscribe();
        reject(new Error(`nothing has happened for ${PATIENCE_MS / 1_000} s; look into ${folder}`));
      }, PATIENCE_MS).unref();
    };
    const unsubscribe = history.onFact(again);
    again();
  });
