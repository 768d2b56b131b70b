import { Defect, type LaneState } from '@holdfast/events';
import { LogUnavailable, type Log } from '@holdfast/log';
import { ClientError, readLane, sha256, type LaneRecord } from '@holdfast/sdk';
import type { TopicNames } from '@holdfast/contracts';

/** The log of a namespace, and what it is made of. */
export type InLog = {
  readonly log: Log;
  readonly topics: TopicNames;
  readonly namespace: string;
  readonly lanes: () => Promise<number>;
  readonly now: () => number;
};

export type LaneRead = { readonly lane: number; readonly state: LaneState | null; readonly defect: string | null };

/** Folds every lane from its first record on. A lane whose history is not sound is answered with why. */
export const readAllLanes = async (
  { log, topics, lanes }: InLog,
  onRecord: (record: LaneRecord, lane: number) => void,
): Promise<readonly LaneRead[]> => {
  const all = Array.from({ length: await lanes() }, (_, lane) => lane);
  const read = async (lane: number): Promise<LaneRead> => {
    try {
      const place = { log, topic: topics.history, lane, digest: sha256 };
      const { state } = await readLane({ ...place, onRecord: (record) => onRecord(record, lane) });
      return { lane, state, defect: null };
    } catch (error) {
      if (error instanceof Defect) return { lane, state: null, defect: error.message };
      throw unread(error, `history of lane ${lane} (${topics.history})`);
    }
  };
  return Promise.all(all.map(read));
};

/** Every view that is incomplete must not look like a whole one. */
export const mustBeSound = (lanes: readonly LaneRead[]): readonly (LaneRead & { readonly state: LaneState })[] =>
  lanes.map((read) => {
    if (read.state !== null) return { ...read, state: read.state };
    throw new ClientError('unsound_history', read.defect ?? `lane ${read.lane} cannot be read`);
  });

export const unread = (error: unknown, what: string): unknown =>
  error instanceof LogUnavailable
    ? new ClientError('unreachable', `${what} cannot be read: ${error.message}`, { cause: error })
    : error;
