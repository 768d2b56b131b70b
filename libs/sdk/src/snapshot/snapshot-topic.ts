import {
  anchorOf,
  decode,
  slotOf,
  snapshotDigest,
  snapshotKind,
  type SnapshotSlot,
  type SnapshotTaken,
} from '@holdfast/contracts';
import { restoreAt, restoreRow, SNAPSHOT_VERSION, type Digest, type RestoredLane } from '@holdfast/events';
import type { Log, LogRecord } from '@holdfast/log';
import { gzipPacking, type Packing } from './packing.js';

export type SnapshotTopic = {
  readonly log: Log;
  /** `run-snapshots`. */
  readonly topic: string;
  readonly lane: number;
  readonly digest: Digest;
  readonly packing?: Packing;
};

/** What a slot says that it holds. */
export type SnapshotSeen = {
  /** Where it says so, in `run-snapshots`. */
  readonly at: number;
  readonly slot: SnapshotSlot;
  readonly value: Uint8Array | null;
};

const READ_BYTES = 4_000_000;
/** So many offsets are looked through at a time, from the end on. */
const WINDOW = 8;

/** What was taken, the latest first. What it costs to find it does not depend on how much older there is. */
export async function* snapshotsSeen({ log, topic, lane }: SnapshotTopic): AsyncGenerator<SnapshotSeen> {
  const bounds = await log.bounds(topic, lane);
  for (let until = bounds.end; until > bounds.start; until -= WINDOW) {
    const seen: SnapshotSeen[] = [];
    const from = Math.max(bounds.start, until - WINDOW);
    for await (const { key, offset: at, value } of between(log, { topic, lane }, from, until)) {
      const slot = slotOf(key);
      if (slot !== null) seen.push({ at, slot, value });
    }
    yield* seen.toReversed();
  }
}

async function* between(
  log: Log,
  { topic, lane }: Pick<SnapshotTopic, 'topic' | 'lane'>,
  from: number,
  until: number,
): AsyncGenerator<LogRecord> {
  for (let next = from; next < until;) {
    const fetched = await log.read(topic, lane, next, { sparse: true, bytesMax: READ_BYTES });
    if (fetched.outcome === 'out_of_range') return;
    for (const record of fetched.records) if (record.offset < until) yield record;
    if (fetched.next <= next) return;
    next = fetched.next;
  }
}

export type Told<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };
const no = (reason: string): { readonly ok: false; readonly reason: string } => ({ ok: false, reason });

/** Reads what a snapshot says of itself, as far as that can be told without history. */
export const snapshotTaken = (value: Uint8Array | null, digest: Digest): Told<SnapshotTaken> => {
  const decoded = decode(snapshotKind, value);
  if (!decoded.ok) return no(`it cannot be read: ${decoded.problem}`);
  const { type, data } = decoded.message;
  if (type !== 'SnapshotTaken') return no(`it is a ${type}`);
  if (data.version !== SNAPSHOT_VERSION)
    return no(`it was folded by version ${data.version}, and this is version ${SNAPSHOT_VERSION}`);
  if (data.digest !== snapshotDigest(data, digest)) return no('what it says of itself has another hash');
  return { ok: true, value: data };
};

/** Puts the lane together that is in a snapshot. Rejects with `LogUnavailable` when nobody answers. */
export const restoreSnapshot = async (topic: SnapshotTopic, taken: SnapshotTaken): Promise<Told<RestoredLane>> => {
  const restored = restoreAt(anchorOf(taken));
  const pieces = new Pieces(topic, taken.snapshot);
  for (const { bytes, pieces: wanted } of taken.chunks) {
    const packed: Uint8Array[] = [];
    for (const piece of wanted) {
      const body = await pieces.body(piece);
      if (body === null) return no(`its piece at ${piece.offset} is missing or another one`);
      packed.push(body);
    }
    const problem = await restoreChunk(restored, Buffer.concat(packed), bytes, topic.packing ?? gzipPacking);
    if (problem !== null) return no(problem);
  }
  return { ok: true, value: restored };
};

const restoreChunk = async (
  restored: RestoredLane,
  packed: Uint8Array,
  bytesMax: number,
  packing: Packing,
): Promise<string | null> => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await packing.unpack(packed, bytesMax));
    for (const line of text.split('\n')) if (line !== '') restoreRow(restored, JSON.parse(line) as unknown);
    return null;
  } catch (error) {
    return `it cannot be unpacked: ${(error as Error).message}`;
  }
};

/** The pieces of a snapshot: they mostly lie one after the other, so that several come with one answer. */
class Pieces {
  private read = new Map<number, LogRecord>();

  constructor(
    private readonly topic: SnapshotTopic,
    private readonly snapshot: string,
  ) {}

  /** Null for one that is not there, or not the one that was written. */
  async body({ offset, digest }: { readonly offset: number; readonly digest: string }): Promise<Uint8Array | null> {
    if (!this.read.has(offset)) await this.fetch(offset);
    const value = this.read.get(offset)?.value ?? null;
    this.read.delete(offset);
    if (value === null || this.topic.digest(value) !== digest) return null;
    const decoded = decode(snapshotKind, value);
    if (!decoded.ok || decoded.message.type !== 'SnapshotPiece') return null;
    const { snapshot, body } = decoded.message.data;
    return snapshot === this.snapshot ? Buffer.from(body, 'base64') : null;
  }

  private async fetch(offset: number): Promise<void> {
    const { log, topic, lane } = this.topic;
    const fetched = await log.read(topic, lane, offset, { sparse: true, bytesMax: READ_BYTES });
    this.read = new Map(fetched.outcome === 'fetched' ? fetched.records.map((record) => [record.offset, record]) : []);
  }
}
