import type { Bounds, Entry, LogRecord } from '../log.port.js';
import type { TopicSpec } from '../topics.port.js';

export type MemoryClusterOptions = {
  /** Epoch ms, as the broker stamps records; by default the system clock. */
  readonly now?: () => number;
};

/** What a broker allows a batch by default, in bytes. */
const BATCH_BYTES_MAX = 1_048_588;

/** Topics and partitions held in memory; shared by the logs, seats and topics of any number of simulated processes. */
export class MemoryCluster {
  private readonly topics = new Map<string, { spec: TopicSpec; partitions: MemoryPartition[] }>();
  readonly now: () => number;

  constructor(options: MemoryClusterOptions = {}) {
    this.now = options.now ?? Date.now;
  }

  /** Creates a topic kept for ever by default. Throws when it is there. */
  create(spec: Pick<TopicSpec, 'name' | 'partitions'> & Partial<TopicSpec>): void {
    if (this.topics.has(spec.name)) throw new Error(`topic ${spec.name} is there already`);
    const full: TopicSpec = { cleanup: 'delete', retentionMs: -1, ...spec };
    const bytesMax = spec.bytesMax ?? BATCH_BYTES_MAX;
    const partitions = Array.from({ length: spec.partitions }, () => new MemoryPartition(this.now, bytesMax));
    this.topics.set(spec.name, { spec: full, partitions });
  }

  spec(topic: string): TopicSpec | null {
    return this.topics.get(topic)?.spec ?? null;
  }

  names(): readonly string[] {
    return [...this.topics.keys()].sort();
  }

  find(topic: string, partition: number): MemoryPartition | null {
    return this.topics.get(topic)?.partitions[partition] ?? null;
  }

  /** Throws when there is no such partition. */
  partition(topic: string, partition: number): MemoryPartition {
    const found = this.find(topic, partition);
    if (found === null) throw new Error(`no partition ${partition} of ${topic}`);
    return found;
  }
}

/** One ordered log. */
export class MemoryPartition {
  private records: LogRecord[] = [];
  private startOffset = 0;
  private endOffset = 0;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly now: () => number,
    readonly bytesMax: number,
  ) {}

  bounds(): Bounds {
    return { start: this.startOffset, end: this.endOffset };
  }

  /** Appends a batch whole; gives the offset of its first record and the time of all. */
  append(entries: readonly Entry[]): { readonly offset: number; readonly at: number } {
    const at = this.now();
    const offset = this.endOffset;
    for (const { key, value, headers } of entries) {
      const bytes = value === null ? null : Uint8Array.from(value);
      this.records.push({ offset: this.endOffset++, at, key, value: bytes, headers: { ...headers } });
    }
    for (const listener of this.listeners) listener();
    return { offset, at };
  }

  /** Records from `offset` to before `end`, as many as fit into `bytesMax` but at least one. */
  slice(offset: number, end: number, bytesMax: number): readonly LogRecord[] {
    const found: LogRecord[] = [];
    let bytes = 0;
    for (let at = this.indexOf(offset); at < this.records.length; at++) {
      const record = this.records[at];
      if (record === undefined || record.offset >= end) break;
      bytes += record.value?.byteLength ?? 0;
      if (found.length > 0 && bytes > bytesMax) break;
      found.push(record);
    }
    return found;
  }

  /** Retention: forgets everything before `offset`. */
  forget(offset: number): void {
    this.records = this.records.slice(this.indexOf(offset));
    this.startOffset = Math.min(Math.max(offset, this.startOffset), this.endOffset);
    for (const listener of this.listeners) listener();
  }

  /** Compaction: keeps the last record of each key, which leaves holes. */
  compact(): void {
    const last = new Map(this.records.map((record) => [record.key, record.offset]));
    this.records = this.records.filter(({ key, offset }) => key === null || last.get(key) === offset);
  }

  /** A defect for tests: acknowledged records from `offset` on are gone. */
  lose(offset: number): void {
    this.records = this.records.slice(0, this.indexOf(offset));
    this.endOffset = Math.max(this.startOffset, Math.min(offset, this.endOffset));
    for (const listener of this.listeners) listener();
  }

  /** Called back at each change; the returned function ends it. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Index of the first record at or after `offset`. */
  private indexOf(offset: number): number {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.records[middle]?.offset ?? Infinity) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
