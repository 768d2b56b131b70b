import { Defect } from '@holdfast/events';
import type { Log, LogRecord } from '@holdfast/log';
import { patiently, type Patience } from './patiently.js';

export type ReadToEnd = Patience & {
  /** First offset to read; the first one kept where absent. */
  readonly from?: number;
  /** Reads up to this offset, exclusive; where absent to the end known when the reading begins. */
  readonly until?: number;
  /** For compacted topics: holes between offsets are expected. */
  readonly sparse?: boolean;
};

/**
 * Reads a partition up to its end as it was known at the start. Returns the next offset. Throws a `Defect` when records
 * between are no longer kept; passes on `LogDefect`, and `LogUnavailable` when nobody answers for `patienceMs`.
 */
export const readToEnd = async (
  log: Log,
  place: { readonly topic: string; readonly partition: number },
  take: (record: LogRecord) => void,
  options: ReadToEnd = {},
): Promise<number> => {
  const { topic, partition } = place;
  const bounds = await patiently(() => log.bounds(topic, partition), options);
  const until = options.until ?? bounds.end;
  const reading = { sparse: options.sparse ?? false, waitMs: 1_000 };
  let next = options.from ?? bounds.start;
  while (next < until) {
    const from = next;
    const fetched = await patiently(() => log.read(topic, partition, from, reading), options);
    if (fetched.outcome === 'out_of_range') {
      throw new Defect(
        `offset ${next} of ${topic}/${partition} is not kept; kept are ${fetched.start} to ${fetched.end}`,
      );
    }
    for (const record of fetched.records) if (record.offset < until) take(record);
    // What was written meanwhile was read as well; it is left to whoever goes on from here.
    next = Math.min(fetched.next, until);
  }
  return next;
};
