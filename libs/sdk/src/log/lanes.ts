import { clusterKind, decode, type TopicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { Patience } from './patiently.js';
import { readToEnd } from './read-to-end.js';

/**
 * The number of lanes that is fixed for a namespace, or null while none is. The first record in log order counts.
 * Rejects with `LogUnavailable` when nobody answers.
 */
export const readLanes = async (log: Log, topics: TopicNames, patience: Patience = {}): Promise<number | null> => {
  let lanes: number | null = null;
  const place = { topic: topics.cluster, partition: 0 };
  await readToEnd(
    log,
    place,
    ({ value }) => {
      const decoded = decode(clusterKind, value);
      if (lanes === null && decoded.ok) lanes = decoded.message.data.lanes;
    },
    { ...patience, sparse: true },
  );
  return lanes;
};
