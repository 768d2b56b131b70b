import type { SnapshotSlot, SnapshotTaken } from '@holdfast/contracts';
import { decodeHistory, nextChain, type Digest, type RestoredLane } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { patiently, type Patience } from '../log/patiently.js';
import { restoreSnapshot, snapshotsSeen, snapshotTaken, type SnapshotTopic, type Told } from './snapshot-topic.js';

export type FindSnapshot = SnapshotTopic & {
  /** `run-events`. */
  readonly history: string;
  /** Only one that goes beyond this offset is of use. */
  readonly beyond: number;
  /** Told of each that is passed over, with why. */
  readonly ignored: (about: SnapshotIgnored) => void;
  readonly patience?: Patience;
  /** Only tests switch it off, to show that it matters. */
  readonly comparesAnchor?: boolean;
};

export type SnapshotIgnored = { readonly at: number | null; readonly reason: string };
export type FoundSnapshot = {
  readonly restored: RestoredLane | null;
  /** The slot of the latest that says of itself what is so, of use or not. */
  readonly slot: SnapshotSlot | null;
};

/** So many that are wrong are looked at: whoever finds no more folds from the first record. */
const WRONG_MAX = 8;

/**
 * The latest snapshot of a lane that is whole, of this version of the fold, and agrees with history. Never rejects for
 * what is in the topic or for a log that does not answer: history alone is always enough.
 */
export const findSnapshot = async (options: FindSnapshot): Promise<FoundSnapshot> => {
  try {
    return await search({ ...options, log: patient(options.log, options.patience) });
  } catch (error) {
    options.ignored({ at: null, reason: `no snapshot can be read: ${(error as Error).message}` });
    return { restored: null, slot: null };
  }
};

const search = async (options: FindSnapshot): Promise<FoundSnapshot> => {
  let slot: SnapshotSlot | null = null;
  let wrong = 0;
  for await (const seen of snapshotsSeen(options)) {
    const taken = snapshotTaken(seen.value, options.digest);
    if (taken.ok) {
      slot ??= seen.slot;
      // Those before it do not go further.
      if (taken.value.offset <= options.beyond) break;
    }
    const told = taken.ok ? await believed(options, taken.value) : taken;
    if (told.ok) return { restored: told.value, slot };
    options.ignored({ at: seen.at, reason: told.reason });
    if ((wrong += 1) >= WRONG_MAX) break;
  }
  return { restored: null, slot };
};

const believed = async (options: FindSnapshot, taken: SnapshotTaken): Promise<Told<RestoredLane>> => {
  const problem = (options.comparesAnchor ?? true) ? await anchorProblem(options, taken) : null;
  return problem === null ? restoreSnapshot(options, taken) : { ok: false, reason: problem };
};

/** How a snapshot contradicts history: the record before its offset must be the one that it was taken after. */
const anchorProblem = async (
  { log, history, lane, digest }: FindSnapshot,
  taken: SnapshotTaken,
): Promise<string | null> => {
  if (taken.lane !== lane) return `it is of lane ${taken.lane}`;
  const read = await log.read(history, lane, taken.offset - 1, { bytesMax: 1 });
  if (read.outcome === 'out_of_range')
    return `history is kept from ${read.start} to ${read.end}, and it stands at ${taken.offset}`;
  const [record] = read.records;
  if (record === undefined) return `nothing lies before ${taken.offset} in history`;
  return recordProblem(record.value, taken, digest);
};

const recordProblem = (value: Uint8Array | null, taken: SnapshotTaken, digest: Digest): string | null => {
  const decoded = decodeHistory(value);
  if (!decoded.ok) return `the record before ${taken.offset} cannot be read: ${decoded.problem}`;
  const { event, lane: place } = decoded.record;
  if (event.type !== 'LaneAdvanced' || place.seq !== place.first + place.size - 1)
    return `the record before ${taken.offset} is a ${event.type} at ${place.seq}, not the end of a batch`;
  const { epoch, seq, owner } = place;
  if (epoch !== taken.epoch || seq !== taken.seq || owner !== taken.owner)
    return `history has ${epoch}/${seq} of ${owner} before ${taken.offset}, it has ${taken.epoch}/${taken.seq} of ${taken.owner}`;
  const chain = nextChain(event.data.chain, digest(value ?? new Uint8Array()), digest);
  return chain === taken.chain ? null : `history has another hash before ${taken.offset} than it has`;
};

const patient = (log: Log, patience: Patience = {}): Log => ({
  append: (...about) => log.append(...about),
  tail: (...about) => log.tail(...about),
  close: () => log.close(),
  read: (...about) => patiently(() => log.read(...about), patience),
  bounds: (...about) => patiently(() => log.bounds(...about), patience),
});
