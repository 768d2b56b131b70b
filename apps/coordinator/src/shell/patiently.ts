import { LogUnavailable } from '@holdfast/log';
import type { Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';

const PAUSE_MS = 200;

/** Asks again for as long as nobody answers, and says so: a cluster that is away for a while is no reason to stop. */
export const patiently = async <T>(
  { timer, logger }: { readonly timer: Timer; readonly logger: ServiceLogger },
  what: string,
  ask: () => Promise<T>,
): Promise<T> => {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      logger.warn({ detail: error.message }, `${what} cannot be read, trying again`);
      await new Promise<void>((resolve) => void timer.after(PAUSE_MS, resolve));
    }
  }
};
