import { clusterKind, decode, type TopicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import { readToEnd } from './read-to-end.js';

/**
 * The number of lanes that is fixed for a namespace, or null while none is. The first record in log order counts.
 * Rejects with `LogUnavailable` when nobody answers.
 */
export const readLanes = async (log: Log, topics: TopicNames): Promise<number | null> => {
  let lanes: number | null = null;
  const place = { topic: topics.cluster, partition: 0 };
  await readToEnd(
    log,
    place,
    ({ value }) => {
      const decoded = decode(clusterKind, value);
      if (lanes === null && decoded.ok) lanes = decoded.message.data.lanes;
    },
    { sparse: true },
  );
  return lanes;
};
