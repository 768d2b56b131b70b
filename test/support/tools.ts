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

export const allTools = catalogueOf(
  tool('pure'),
  tool('repeatable'),
  tool('keyed'),
  tool('verifiable'),
  tool('unprotected'),
);
