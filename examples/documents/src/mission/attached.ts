import { z } from 'zod';
import { ledgerLineSchema, type LedgerLine } from '../office/ledger.js';
import type { Fleet } from './fleet.js';

/** Services that somebody else runs, in containers for example. Nothing of them can be hit from here. */
export const attachedFleet = (officeUrl: string): Fleet => ({
  officeUrl,
  names: [],
  kill: () => null,
  executorFreezer: () => {
    throw new Error('the executors run elsewhere and cannot be frozen');
  },
  executorsAnswer: async () => undefined,
  stop: async () => undefined,
});

const linesSchema = z.object({ lines: z.array(ledgerLineSchema) });

/** What an office has filed since a moment, as it says itself: its file is not to be had where it runs elsewhere. */
export const linesSince = async (officeUrl: string, at: number): Promise<readonly LedgerLine[]> => {
  const response = await fetch(`${officeUrl}/ledger?since=${at}`);
  return linesSchema.parse(await response.json()).lines;
};
