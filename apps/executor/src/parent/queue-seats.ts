import type { TopicNames } from '@holdfast/contracts';
import type { CommittedPosition, Log, SeatMembership, Seats } from '@holdfast/log';
import type { Cancel, Logger, Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';

export type QueueSeatsPorts = {
  readonly seats: Seats;
  readonly log: Log;
  readonly names: TopicNames;
  readonly timer: Timer;
  readonly logger: Logger;
};

export type QueueSeatsNews = {
  /** Serve the partition from this command position on. */
  gained(queue: string, partition: number, from: number): void;
  lost(queue: string, partition: number): void;
};

const COMMIT_MS = 1_000;
/** Commits expire when they are not renewed. */
const RENEW_EVERY = 300;
const AGAIN_MS = 250;

/** The seats of one queue, and how far the commands of each are done. */
export class QueueSeats {
  private membership: Promise<SeatMembership> | null = null;
  /** By partition; null while its position is being looked up. */
  private readonly positions = new Map<number, number | null>();
  private readonly committed = new Map<number, number>();
  private turns = 0;
  private stopTimer: Cancel = () => undefined;

  constructor(
    private readonly ports: QueueSeatsPorts,
    readonly queue: string,
    private readonly news: QueueSeatsNews,
  ) {}

  async join(): Promise<void> {
    const { seats, names, timer } = this.ports;
    const pool = { topic: names.queueSeats(this.queue), group: names.group(`queue.${this.queue}`) };
    this.membership = seats.join(pool, (held) => this.changed(held));
    this.changed((await this.membership).held());
    this.stopTimer = timer.every(COMMIT_MS, () => void this.commit());
  }

  /** Partitions that are served, with the position from which a new worker has to go on. */
  served(): [partition: number, from: number][] {
    return [...this.positions].flatMap(([partition, from]) => (from === null ? [] : [[partition, from]]));
  }

  done(partition: number, next: number): void {
    const known = this.positions.get(partition);
    if (known !== undefined && known !== null) this.positions.set(partition, Math.max(known, next));
  }

  async leave(): Promise<void> {
    this.stopTimer();
    await this.commit();
    await (await this.membership)?.leave();
  }

  private changed(held: ReadonlySet<number>): void {
    for (const partition of this.positions.keys()) {
      if (held.has(partition)) continue;
      const wasServed = this.positions.get(partition) !== null;
      this.positions.delete(partition);
      this.committed.delete(partition);
      if (wasServed) this.news.lost(this.queue, partition);
    }
    const gained = [...held].filter((partition) => !this.positions.has(partition));
    for (const partition of gained) this.positions.set(partition, null);
    if (gained.length > 0) void this.lookUp(gained);
  }

  /** From the committed position on, else from the earliest command that is kept: what is read twice does no harm. */
  private async lookUp(partitions: readonly number[]): Promise<void> {
    const topic = this.ports.names.commands(this.queue);
    for (let open = partitions; open.length > 0; open = open.filter((one) => this.positions.get(one) === null)) {
      try {
        const known = (await (await this.membership)?.committed([topic])) ?? [];
        await Promise.all(open.map((partition) => this.begin(partition, known)));
        continue;
      } catch (error) {
        this.ports.logger.warn({ err: error, queue: this.queue }, 'positions of commands cannot be looked up yet');
      }
      await new Promise<void>((resolve) => void this.ports.timer.after(AGAIN_MS, resolve));
    }
  }

  private async begin(partition: number, known: readonly CommittedPosition[]): Promise<void> {
    const topic = this.ports.names.commands(this.queue);
    const found = known.find((one) => one.topic === topic && one.partition === partition);
    const { start, end } = await this.ports.log.bounds(topic, partition);
    const from = found === undefined || found.offset > end ? start : Math.max(found.offset, start);
    if (this.positions.get(partition) !== null) return;
    this.positions.set(partition, from);
    this.news.gained(this.queue, partition, from);
  }

  private async commit(): Promise<void> {
    this.turns += 1;
    const renew = this.turns % RENEW_EVERY === 0;
    const moved = this.served().filter(([partition, next]) => renew || this.committed.get(partition) !== next);
    if (moved.length === 0) return;
    const topic = this.ports.names.commands(this.queue);
    failpoint('parent.position.before');
    try {
      await (await this.membership)?.commit(moved.map(([partition, offset]) => ({ topic, partition, offset })));
      failpoint('parent.position.after');
      for (const [partition, next] of moved) this.committed.set(partition, next);
    } catch (error) {
      this.ports.logger.debug({ err: error, queue: this.queue }, 'positions of commands were not committed');
    }
  }
}
