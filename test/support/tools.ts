import type { CatalogueEntry } from '@holdfast/contracts';
import type { ReplayPolicy } from '@holdfast/events';

/** A tool of one policy, named after it, with short times: one second to call, half a second to settle. */
export const tool = (policy: ReplayPolicy, more: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  name: policy,
  version: '1',
  queue: 'default',
  policy,
  inputSchema: { type: 'object' },
  outputSchema: {},
  timeoutMs: 1_000,
  settleMs: 500,
  ...(policy === 'keyed' ? { keyTtlMs: 2_000_000 } : {}),
  verify: policy === 'verifiable',
  spawns: false,
  hash: `hash of ${policy}`,
  ...more,
});

export const catalogueOf = (...entries: readonly CatalogueEntry[]): ReadonlyMap<string, CatalogueEntry> =>
  new Map(entries.map((entry) => [`${entry.name}@${entry.version}`, entry]));

/** What reserves something, and what undoes that. */
export const undoableTools = (policy: ReplayPolicy = 'verifiable'): ReadonlyMap<string, CatalogueEntry> =>
  catalogueOf(
    tool(policy, { name: 'reserve', compensate: 'release@1' }),
    tool('keyed', { name: 'release', keyTtlMs: 2_000_000_000 }),
    tool('verifiable', { name: 'other' }),
  );

export const allTools = catalogueOf(
  tool('pure'),
  tool('repeatable'),
  tool('keyed'),
  tool('verifiable'),
  tool('unprotected'),
);
