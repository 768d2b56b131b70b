import type { TopicNames } from '@holdfast/contracts';
import { LogUnavailable, type Log, type LogRecord, type Tail } from '@holdfast/log';
import type { Cancel, Logger, Timer } from '@holdfast/sdk';
import { FleetView } from '../projection/fleet.project.js';
import { LettersView } from '../projection/letters.project.js';
import { Projection, type View } from '../projection/projection.js';
import { StoreUnavailable, type RowStore } from '../store/row-store.js';
import { SourceWriter } from './source-writer.js';

/** Executors say several times a second that they are alive; rows need not. */
const FLEET_MS = 5_000;
const LETTERS_MS = 250;
const RETRY_MS = 500;
/** Dead letters hold whole records: no more of them wait for a chunk, and as many while one is written. */
const BYTES_MAX = 8 * 1024 * 1024;

export type SideProjectorParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly store: RowStore;
  readonly timer: Timer;
  readonly logger: Logger;
};

type Seeing = View & { see(record: LogRecord): void };
type Side = { readonly topic: string; readonly partition: number; readonly view: () => Seeing };
type Followed = { readonly side: Side; readonly view: Seeing; readonly writer: SourceWriter; paused: boolean };

/** Projects what is beside the lanes' histories: who is alive, and what could not be read. */
export class SideProjector {
  private wanted: ReadonlyMap<string, Side> = new Map();
  private readonly followed = new Map<string, Followed>();
  private readonly failing = new Map<string, string>();
  private readonly tail: Tail;
  private readonly timers: readonly Cancel[];

  constructor(private readonly parts: SideProjectorParts) {
    const { log, timer, logger, names } = parts;
    this.tail = log.tail(
      {
        batch: ({ topic, partition, records }) => this.take(keyOf({ topic, partition }), records),
        outOfRange: (topic, partition) => this.again(keyOf({ topic, partition })),
        defect: (topic, partition, detail) => logger.error({ topic, partition, detail }, 'a topic cannot be read'),
      },
      { paceMs: 100 },
    );
    const isFleet = ({ side }: Followed) => side.topic === names.heartbeats;
    this.timers = [
      timer.every(FLEET_MS, () => this.write(isFleet)),
      timer.every(LETTERS_MS, () => this.write((one) => !isFleet(one))),
    ];
  }

  /** Whoever has the first seat looks after the heartbeats, and everybody after the letters of the own lanes. */
  hold(held: ReadonlySet<number>): void {
    const { heartbeats, deadLetters } = this.parts.names;
    const sides: Side[] = [...held].map((partition) => ({
      topic: deadLetters,
      partition,
      view: () => new LettersView(partition),
    }));
    if (held.has(0)) sides.push({ topic: heartbeats, partition: 0, view: () => new FleetView() });
    this.wanted = new Map(sides.map((side) => [keyOf(side), side]));
    for (const [key, { side }] of this.followed) if (!this.wanted.has(key)) this.leave(key, side);
    for (const key of this.wanted.keys()) if (!this.followed.has(key)) void this.begin(key);
  }

  /** Why rows of a topic's partition cannot be written for the moment. */
  get troubles(): ReadonlyMap<string, string> {
    return this.failing;
  }

  async close(): Promise<void> {
    for (const cancel of this.timers) cancel();
    this.hold(new Set());
    await this.tail.close();
  }

  private async begin(key: string): Promise<void> {
    const side = this.wanted.get(key);
    if (side === undefined) return;
    const { log, store, timer } = this.parts;
    try {
      const { start } = await log.bounds(side.topic, side.partition);
      const position = await store.position({ topic: side.topic, partition: side.partition });
      if (this.wanted.get(key) === side && !this.followed.has(key)) this.follow(side, { start, position });
    } catch (error) {
      if (!(error instanceof StoreUnavailable) && !(error instanceof LogUnavailable)) throw error;
      timer.after(RETRY_MS, () => void this.begin(key));
    }
  }

  /** Letters are told one by one; who is alive follows from all beats that are kept. */
  private follow(side: Side, { start, position }: { readonly start: number; readonly position: number }): void {
    const { store, timer, logger } = this.parts;
    const { topic, partition } = side;
    const view = side.view();
    const key = keyOf(side);
    const writer = new SourceWriter(new Projection({ topic, partition }, position, view), {
      store,
      timer,
      logger,
      anew: () => this.again(key),
      trouble: (detail) => this.note(key, detail),
    });
    this.followed.set(key, { side, view, writer, paused: false });
    this.tail.follow(topic, partition, view instanceof FleetView ? start : Math.max(start, position));
  }

  private take(key: string, records: readonly LogRecord[]): void {
    const followed = this.followed.get(key);
    if (followed === undefined) return;
    const { view, writer } = followed;
    for (const record of records) {
      view.see(record);
      writer.projection.took(record.offset, record.value?.byteLength ?? 0);
    }
    if (!isFull(writer)) return;
    if (!writer.isWriting) return this.writeOne(key, followed);
    followed.paused = true;
    this.tail.unfollow(followed.side.topic, followed.side.partition);
  }

  private write(which: (followed: Followed) => boolean): void {
    for (const [key, followed] of this.followed) if (which(followed)) this.writeOne(key, followed);
  }

  private writeOne(key: string, followed: Followed): void {
    if (!followed.writer.isWriting) void followed.writer.write().then(() => this.wrote(key, followed));
  }

  private wrote(key: string, followed: Followed): void {
    if (this.followed.get(key) !== followed) return;
    const { side, writer, paused } = followed;
    if (isFull(writer)) this.writeOne(key, followed);
    followed.paused = false;
    if (paused) this.tail.follow(side.topic, side.partition, writer.projection.taken);
  }

  private note(key: string, detail: string | null): void {
    if (!this.followed.has(key)) return;
    if (detail === null) return void this.failing.delete(key);
    if (!this.failing.has(key)) this.parts.logger.warn({ of: key, detail }, 'rows cannot be written for the moment');
    this.failing.set(key, detail);
  }

  private again(key: string): void {
    const followed = this.followed.get(key);
    if (followed !== undefined) this.leave(key, followed.side);
    void this.begin(key);
  }

  private leave(key: string, { topic, partition }: Side): void {
    this.followed.get(key)?.writer.stop();
    this.followed.delete(key);
    this.failing.delete(key);
    this.tail.unfollow(topic, partition);
  }
}

const isFull = ({ projection }: SourceWriter): boolean => projection.pending.bytes > BYTES_MAX;

const keyOf = ({ topic, partition }: Pick<Side, 'topic' | 'partition'>): string => `${topic}/${partition}`;
