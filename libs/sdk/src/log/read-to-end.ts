import { Defect } from '@holdfast/events';
import type { Log, LogRecord } from '@holdfast/log';

export type ReadToEnd = {
  /** First offset to read; the first one kept where absent. */
  readonly from?: number;
  /** Reads up to this offset, exclusive; where absent to the end known when the reading begins. */
  readonly until?: number;
  /** For compacted topics: holes between offsets are expected. */
  readonly sparse?: boolean;
};

/**
 * Reads a partition up to its end as it was known at the start. Returns the next offset. Throws a `Defect` when records
 * between are no longer kept; passes on `LogUnavailable` and `LogDefect`.
 */
export const readToEnd = async (
  log: Log,
  place: { readonly topic: string; readonly partition: number },
  take: (record: LogRecord) => void,
  options: ReadToEnd = {},
): Promise<number> => {
  const { topic, partition } = place;
  const bounds = await log.bounds(topic, partition);
  const until = options.until ?? bounds.end;
  let next = options.from ?? bounds.start;
  while (next < until) {
    const fetched = await log.read(topic, partition, next, { sparse: options.sparse ?? false, waitMs: 1_000 });
    if (fetched.outcome === 'out_of_range') {
      throw new Defect(
        `offset ${next} of ${topic}/${partition} is not kept; kept are ${fetched.start} to ${fetched.end}`,
      );
    }
    for (const record of fetched.records) if (record.offset < until) take(record);
    next = fetched.next;
  }
  return next;
};
