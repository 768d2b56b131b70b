import { decode, encode, snapshotDigest, snapshotKind, type SnapshotTaken, type TopicNames } from '@holdfast/contracts';
import type { LogRecord, MemoryCluster } from '@holdfast/log';
import { sha256 } from '@holdfast/sdk';
import { count, follow } from '../invariants/partitions.js';
import type { Spoil } from '../scenario/scenario.js';

export type SaboteurParts = {
  readonly cluster: MemoryCluster;
  readonly names: TopicNames;
  readonly lanes: number;
  readonly spoils: readonly Spoil[];
  readonly after: (ms: number, work: () => void) => void;
  readonly note: (text: string) => void;
};

type Seen = { readonly lane: number; readonly key: string; readonly value: Uint8Array; readonly taken: SnapshotTaken };
const SOURCE = 'nobody';

/** Whoever lays snapshots into the topic that are old, of another lane or place, cut short, or changed. */
export class Saboteur {
  /** How often each kind was laid there. */
  readonly laid = new Map<string, number>();
  private readonly seen: Seen[] = [];

  constructor(private readonly parts: SaboteurParts) {
    const { cluster, names, lanes } = parts;
    for (const lane of count(lanes)) follow(cluster, names.snapshots, lane, (record) => this.written(lane, record));
  }

  private written(lane: number, { key, value }: LogRecord): void {
    if (key === null || value === null) return;
    const decoded = decode(snapshotKind, value);
    if (!decoded.ok || decoded.message.type !== 'SnapshotTaken' || decoded.message.source === SOURCE) return;
    const { data: taken } = decoded.message;
    this.parts.note(`a snapshot of lane ${lane} is taken at ${taken.epoch}/${taken.seq}`);
    this.seen.push({ lane, key, value, taken });
    for (const { how, nth } of this.parts.spoils)
      if (nth === this.seen.length) this.parts.after(1, () => this.spoil(how, lane));
  }

  private spoil(how: Spoil['how'], lane: number): void {
    const mine = this.seen.filter((one) => one.lane === lane);
    const [oldest, newest] = [mine[0], mine.at(-1)];
    if (oldest === undefined || newest === undefined) return;
    const value = this.spoilt(how, lane, { oldest, newest });
    if (value === null) return;
    this.parts.note(`a snapshot of lane ${lane} is laid there that is ${how}`);
    this.laid.set(how, (this.laid.get(how) ?? 0) + 1);
    this.put(lane, newest.key, value);
  }

  private spoilt(
    how: Spoil['how'],
    lane: number,
    { oldest, newest }: { readonly oldest: Seen; readonly newest: Seen },
  ): Uint8Array | null {
    const { cluster, names } = this.parts;
    switch (how) {
      case 'old':
        return oldest.value;
      case 'cut':
        return newest.value.slice(0, newest.value.length / 2);
      case 'of another version':
        return saying({ ...newest.taken, version: newest.taken.version + 1 });
      case 'of another place':
        return saying({ ...oldest.taken, offset: cluster.partition(names.history, lane).bounds().end });
      case 'of another lane': {
        const foreign = this.seen.findLast((one) => one.lane !== lane);
        return foreign === undefined ? null : saying({ ...foreign.taken, chunks: this.copied(foreign, lane, 0) });
      }
      case 'changed':
        return saying({ ...newest.taken, chunks: this.copied(newest, lane, 1) });
    }
  }

  /** Its pieces once more, the last byte of each so much higher. */
  private copied({ lane: from, taken, key }: Seen, to: number, by: number): SnapshotTaken['chunks'] {
    const { cluster, names } = this.parts;
    const source = cluster.partition(names.snapshots, from);
    return taken.chunks.map(({ bytes, pieces }) => ({
      bytes,
      pieces: pieces.map(({ offset, digest }, index) => {
        const [record] = source.slice(offset, offset + 1, 1);
        const value = Uint8Array.from(record?.value ?? []);
        const middle = Math.floor(value.length / 2);
        value[middle] = (value[middle] ?? 0) + by;
        return { offset: this.put(to, `${key}/${index}`, value), digest };
      }),
    }));
  }

  private put(lane: number, key: string, value: Uint8Array): number {
    const { cluster, names } = this.parts;
    return cluster.partition(names.snapshots, lane).append([{ key, value }]).offset;
  }
}

const saying = (taken: SnapshotTaken): Uint8Array => {
  const data = { ...taken, digest: snapshotDigest(taken, sha256) };
  const head = { type: 'SnapshotTaken', version: 1, id: 'x', source: SOURCE, subject: null, time: '', principal: null };
  return encode({ ...head, data });
};
