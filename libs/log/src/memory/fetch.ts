import { LogDefect } from '../log.port.js';
import type { Fetched, ReadOptions } from '../log.port.js';
import type { MemoryPartition } from './cluster.js';
import type { MemoryFaults } from './faults.js';

const READ_BYTES_MAX = 1_200_000;

/** What a process sees of a partition from `offset` on. Throws `LogDefect` on a hole, unless `sparse`. */
export function fetchFrom(
  found: MemoryPartition,
  faults: MemoryFaults,
  offset: number,
  { bytesMax = READ_BYTES_MAX, sparse = false }: ReadOptions = {},
): Fetched {
  const seen = faults.seen(found);
  // Like a broker: beyond the true end is out of range, hidden records are just not there yet.
  if (offset < seen.start || offset > found.bounds().end) return { outcome: 'out_of_range', ...seen };
  const records = found.slice(offset, seen.end, bytesMax);
  let expected = offset;
  for (const record of records) {
    if (record.offset !== expected && !sparse) {
      throw new LogDefect(`expected offset ${expected}, got ${record.offset}`);
    }
    expected = record.offset + 1;
  }
  const next = records.length === 0 && sparse ? Math.max(offset, seen.end) : expected;
  return { outcome: 'fetched', records, next, end: seen.end };
}
