import { LogDefect } from '../log.port.js';
import type { FollowOptions, Tail, TailHandler } from '../log.port.js';
import type { MemoryCluster, MemoryPartition } from './cluster.js';
import type { MemoryFaults } from './faults.js';
import { fetchFrom } from './fetch.js';

/** Calls back after `ms`; the returned function takes it back. */
export type Timer = (ms: number, callback: () => void) => () => void;

/**
 * Stages of what passes between a process and the log: a request goes out, its answer comes back, a read goes out, new
 * records of a followed partition reach the tail.
 */
export type Stage = 'send' | 'answer' | 'read' | 'deliver';
export type Pace = (stage: Stage, at: { readonly topic: string; readonly partition: number }) => Promise<void>;

export type MemoryTailSetup = {
  readonly cluster: MemoryCluster;
  readonly faults: MemoryFaults;
  readonly timer: Timer;
  readonly pollMs: number;
  readonly pace: Pace | null;
};

type Followed = {
  readonly topic: string;
  readonly partition: number;
  readonly sparse: boolean;
  next: number;
  /** Whether the handler has heard of it at all. */
  told: boolean;
  /** News of it is on its way, where the pace is set from outside. */
  coming: boolean;
  /** The handler is to be told the end although nothing is new. */
  endWanted: boolean;
  ignore: () => void;
};

/**
 * Delivers in a microtask after each change, in the order of `follow`, and tells all ends once per `pollMs`. With a
 * `pace` each partition is delivered at a moment of its own.
 */
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
    this.ignoreFaults = setup.faults.listen(() => {
      for (const position of this.followed.values()) this.wake(position);
    });
  }

  follow(topic: string, partition: number, offset: number, { sparse = false }: FollowOptions = {}): void {
    if (this.closed) return;
    this.unfollow(topic, partition);
    const position: Followed = {
      topic,
      partition,
      sparse,
      next: offset,
      told: false,
      coming: false,
      endWanted: false,
      ignore: () => undefined,
    };
    position.ignore = this.setup.cluster.find(topic, partition)?.listen(() => this.wake(position)) ?? position.ignore;
    this.followed.set(keyOf(topic, partition), position);
    this.wake(position);
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
      this.tellEnds();
      if (!this.closed && this.followed.size > 0 && this.cancelPoll === null) this.poll();
    });
  }

  private tellEnds(): void {
    if (this.setup.pace === null) return this.deliver(true);
    for (const position of this.followed.values()) {
      position.endWanted = true;
      this.wake(position);
    }
  }

  private wake(position: Followed): void {
    const { pace } = this.setup;
    if (pace === null) return this.schedule();
    if (position.coming || this.closed) return;
    position.coming = true;
    void this.deliverLater(position, pace);
  }

  private async deliverLater(position: Followed, pace: Pace): Promise<void> {
    await pace('deliver', position);
    const all = position.endWanted;
    position.coming = position.endWanted = false;
    if (this.mayDeliver() && this.isCurrent(position)) this.advance(position, all);
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
    if (!this.mayDeliver()) return;
    for (const position of this.followed.values()) if (this.isCurrent(position)) this.advance(position, all);
  }

  private mayDeliver(): boolean {
    if (this.closed || this.setup.faults.frozen !== null) return false;
    if (this.setup.faults.unavailable) this.handler.trouble?.('nobody answers');
    return !this.setup.faults.unavailable;
  }

  private isCurrent(position: Followed): boolean {
    return this.followed.get(keyOf(position.topic, position.partition)) === position;
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
    if (next < end) this.wake(position);
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
