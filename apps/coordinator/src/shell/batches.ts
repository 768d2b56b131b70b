import type { Entry } from '@holdfast/log';

/** What one append may hold, with room for the log's own overhead. */
const BATCH_BYTES_MAX = 700 * 1024;

/** Entries in order, in appends that the log takes: commands may carry large arguments, closes may be many. */
export const batches = (entries: readonly Entry[]): readonly (readonly Entry[])[] => {
  const all: Entry[][] = [[]];
  let bytes = 0;
  for (const entry of entries) {
    const size = entry.value?.length ?? 0;
    if (bytes + size > BATCH_BYTES_MAX && bytes > 0) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(entry);
    bytes += size;
  }
  return all;
};
