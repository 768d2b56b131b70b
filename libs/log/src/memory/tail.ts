import { LogDefect } from '../log.port.js';
import type { FollowOptions, Tail, TailHandler } from '../log.port.js';
import type { MemoryCluster, MemoryPartition } from './cluster.js';
import type { MemoryFaults } from './faults.js';
import { fetchFrom } from './fetch.js';

/** Calls back after `ms`; the returned function takes it back. */
export type Timer = (ms: number, callback: () => void) => () => void;

export type MemoryTailSetup = {
  readonly cluster: MemoryCluster;
  readonly faults: MemoryFaults;
  readonly timer: Timer;
  readonly pollMs: number;
};

type Followed = {
  readonly topic: string;
  readonly partition: number;
  readonly sparse: boolean;
  next: number;
  /** Whether the handler has heard of it at all. */
  told: boolean;
  ignore: () => void;
};

/** Delivers in a microtask after each change, in the order of `follow`, and tells all ends once per `pollMs`. */
export class MemoryTail implements Tail {
  private readonly followed = new Map<string, Followed>();
  private readonly ignoreFaults: () => void;
  private cancelPoll: (() => void) | null = null;
  private scheduled = false;
  private closed = false;

  constructor(
    private readonly setup: MemoryTailSetup,
    private readonly handler: TailHandler,
  ) {
    this.ignoreFaults = setup.faults.listen(() => this.schedule());
  }

  follow(topic: string, partition: number, offset: number, { sparse = false }: FollowOptions = {}): void {
    if (this.closed) return;
    this.unfollow(topic, partition);
    const ignore = this.setup.cluster.find(topic, partition)?.listen(() => this.schedule()) ?? (() => undefined);
    this.followed.set(keyOf(topic, partition), { topic, partition, sparse, next: offset, told: false, ignore });
    this.schedule();
    if (this.cancelPoll === null) this.poll();
  }

  unfollow(topic: string, partition: number): void {
    const key = keyOf(topic, partition);
    this.followed.get(key)?.ignore();
    this.followed.delete(key);
  }

  close(): Promise<void> {
    this.closed = true;
    for (const { ignore } of this.followed.values()) ignore();
    this.followed.clear();
    this.ignoreFaults();
    this.cancelPoll?.();
    return Promise.resolve();
  }

  private poll(): void {
    this.cancelPoll = this.setup.timer(this.setup.pollMs, () => {
      this.cancelPoll = null;
      this.deliver(true);
      if (!this.closed && this.followed.size > 0 && this.cancelPoll === null) this.poll();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.closed) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.deliver(false);
    });
  }

  private deliver(all: boolean): void {
    if (this.closed || this.setup.faults.frozen !== null) return;
    if (this.setup.faults.unavailable) return this.handler.trouble?.('nobody answers');
    for (const position of this.followed.values()) {
      if (this.followed.get(keyOf(position.topic, position.partition)) === position) this.advance(position, all);
    }
  }

  private advance(position: Followed, all: boolean): void {
    const { topic, partition } = position;
    const found = this.setup.cluster.find(topic, partition);
    if (found === null) return this.handler.trouble?.(`no partition ${partition} of ${topic}`);
    const fetched = this.fetch(position, found);
    if (fetched === null) return;
    if (fetched.outcome === 'out_of_range') {
      this.unfollow(topic, partition);
      const { start, end } = fetched;
      return this.handler.outOfRange(topic, partition, position.next, { start, end });
    }
    const { records, next, end } = fetched;
    if (next === position.next && position.told && !all) return;
    Object.assign(position, { next, told: true });
    if (next < end) this.schedule();
    this.handler.batch({ topic, partition, records, next, end });
  }

  private fetch(position: Followed, found: MemoryPartition): ReturnType<typeof fetchFrom> | null {
    const { topic, partition, next, sparse } = position;
    try {
      return fetchFrom(found, this.setup.faults, next, { sparse });
    } catch (error) {
      if (!(error instanceof LogDefect)) throw error;
      this.unfollow(topic, partition);
      this.handler.defect?.(topic, partition, error.message);
      return null;
    }
  }
}

const keyOf = (topic: string, partition: number): string => `${partition} ${topic}`;
