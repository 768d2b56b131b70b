import { encode, snapshotDigest, snapshotKind, decode, topicNames, type SnapshotTaken } from '@holdfast/contracts';
import { captureLane, laneDigest, type LaneAnchor } from '@holdfast/events';
import { createMemoryLog, MemoryCluster, type Entry, type Log, type LogRecord } from '@holdfast/log';
import { sha256 } from '../digest.js';
import { LaneAuthor, runAccepted, runEnded } from '../lane/history.fixture.js';
import { LaneReader } from '../lane/lane-reader.js';
import { findSnapshot, type SnapshotIgnored } from './find-snapshot.js';
import { gzipAtOnce } from './packing.js';
import { writeSnapshot, type Taken } from './write-snapshot.js';

export const names = topicNames('t');
export const LANES = 2;

/** Lanes with histories of their own, their snapshots, and what is believed of them. */
export const snapshotWorld = () => {
  const cluster = new MemoryCluster({ now: () => 0 });
  for (const name of [names.history, names.snapshots]) cluster.create({ name, partitions: LANES });
  const log = createMemoryLog(cluster);
  const lanes = Array.from({ length: LANES }, (_, lane) => ({
    author: new LaneAuthor(lane),
    reader: new LaneReader({ topic: names.history, lane }, sha256),
  }));
  let runs = 0;

  const write = (lane: number, entries: readonly Entry[]): void => {
    const { offset } = cluster.partition(names.history, lane).append(entries);
    entries.forEach(({ key, value }, index) =>
      lanes[lane]?.reader.take({ offset: offset + index, at: 0, key, value, headers: {} }),
    );
  };
  const readerOf = (lane: number): LaneReader => lanes[lane]?.reader as LaneReader;
  const taken = (lane = 0): Taken => {
    const { state, next: offset } = readerOf(lane);
    const { epoch, seq, owner, chain } = state;
    const anchor: LaneAnchor = { offset, epoch, seq, owner: owner ?? '', chain };
    return { anchor, capture: captureLane(state) };
  };
  return {
    cluster,
    log,
    digestOf: (lane: number): string => laneDigest(readerOf(lane).state, sha256),
    /** Some runs begin and end. */
    grow: (lane = 0, some = 3): void => {
      const author = lanes[lane]?.author as LaneAuthor;
      if (readerOf(lane).next === 0) write(lane, author.acquire(`owner of ${lane}`));
      for (let left = some; left > 0; left -= 1) {
        const runId = `run-${(runs += 1)}`;
        write(lane, author.decide(runId, runAccepted(runId), runEnded()));
      }
    },
    taken,
    snap: (last: 'a' | 'b' | null = null, lane = 0) =>
      writeSnapshot(
        {
          log,
          topic: names.snapshots,
          lane,
          digest: sha256,
          now: 0,
          last,
          wanted: () => true,
          packing: gzipAtOnce,
        },
        taken(lane),
      ),
    find: finding(log),
    records: (lane = 0): readonly LogRecord[] => cluster.partition(names.snapshots, lane).slice(0, Infinity, Infinity),
    /** Puts records there as somebody else might have. */
    put: (entries: readonly Entry[], lane = 0): number =>
      cluster.partition(names.snapshots, lane).append(entries).offset,
  };
};

/** What is believed of a lane's snapshots, and why others are not. */
const finding =
  (log: Log) =>
  async ({ lane = 0, beyond = 0, comparesAnchor = true } = {}) => {
    const ignored: SnapshotIgnored[] = [];
    const found = await findSnapshot({
      log,
      topic: names.snapshots,
      history: names.history,
      lane,
      digest: sha256,
      beyond,
      packing: gzipAtOnce,
      comparesAnchor,
      patience: { patienceMs: 0 },
      ignored: (about) => ignored.push(about),
    });
    const { restored, slot } = found;
    return {
      restored,
      slot,
      next: restored?.next ?? null,
      digest: restored === null ? null : laneDigest(restored.lane, sha256),
      ignored: ignored.map(({ reason }) => reason),
    };
  };

export const takenIn = (value: Uint8Array | null): SnapshotTaken => {
  const decoded = decode(snapshotKind, value);
  if (!decoded.ok || decoded.message.type !== 'SnapshotTaken') throw new Error('that is no snapshot');
  return decoded.message.data;
};

/** The record of a snapshot that says something else, and has the hash of it. */
export const saying = (taken: SnapshotTaken, change: Partial<SnapshotTaken> = {}): Uint8Array => {
  const data = { ...taken, ...change };
  const head = { type: 'SnapshotTaken', version: 1, id: 'x', source: 'test', subject: null, time: '', principal: null };
  return encode({ ...head, data: { ...data, digest: snapshotDigest(data, sha256) } });
};
