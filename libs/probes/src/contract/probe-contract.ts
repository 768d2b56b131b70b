import { casesOfFaults } from './fault-cases.js';
import { casesOfCalls } from './call-cases.js';
import { Played } from './played.js';
import type { ProbeWorld } from './probe-world.js';

/** One sentence that is true of a tool that can be asked, and how it is tried. */
export type ContractCase = { readonly name: string; readonly run: () => Promise<void> };

/**
 * What a tool that can be asked owes its runs, as cases for any test runner: `for (const { name, run } of
 * probeContract(() => world)) it(name, run)`. Each rejects with an `AssertionError` where the tool breaks its word. The
 * cases run one after another; each uses keys of its own.
 */
export const probeContract = (world: () => ProbeWorld): readonly ContractCase[] =>
  [...casesOfCalls, ...casesOfFaults].map(({ name, play }, index) => ({
    name,
    run: async () => {
      const played = new Played(world(), `contract-run-key-${index}`);
      try {
        await play(played);
      } finally {
        // A case that fails in the middle leaves no fault behind for the next one.
        await played.endFaults();
      }
    },
  }));
