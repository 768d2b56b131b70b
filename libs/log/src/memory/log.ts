import { batchBytes, invalidReason } from '../batch-bytes.js';
import { Ending, nothing } from '../ending.js';
import { LogUnavailable } from '../log.port.js';
import type { Appended, Bounds, Entry, Fetched, Log, ReadOptions, TailHandler } from '../log.port.js';
import type { MemoryCluster, MemoryPartition } from './cluster.js';
import { MemoryFaults } from './faults.js';
import { fetchFrom } from './fetch.js';
import type { Attempted, Fate } from './faults.js';
import { MemoryTail } from './tail.js';
import type { Pace, Timer } from './tail.js';

export type MemoryLogOptions = {
  /** For waits, time-outs and the tail's polls; by default real timers. A simulation gives a virtual one. */
  readonly timer?: Timer;
  readonly appendTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  /** How often a tail tells the ends of quiet partitions, in ms; default 250. */
  readonly pollMs?: number;
  /** Decides the fate of each append that has none planned, for example by a seed; by default all go through. */
  readonly fate?: (append: Attempted) => Fate;
  /** Awaited at each stage of what passes between the process and the log: lets a simulation choose the order. */
  readonly pace?: Pace;
};

export type MemoryLog = Log & { readonly faults: MemoryFaults };

/** A `Log` in memory, as one process sees the cluster, with the faults of a real one on demand. */
export function createMemoryLog(cluster: MemoryCluster, options: MemoryLogOptions = {}): MemoryLog {
  return new TwinLog(cluster, options);
}

const POLL_MS = 250;
const TIMEOUT_MS = 3000;

const realTimer: Timer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

class TwinLog implements MemoryLog {
  readonly faults: MemoryFaults;
  private readonly queues = new Map<string, Promise<Appended>>();
  private readonly tails = new Set<MemoryTail>();
  private readonly ending = new Ending();
  private readonly timer: Timer;

  constructor(
    private readonly cluster: MemoryCluster,
    private readonly options: MemoryLogOptions,
  ) {
    this.timer = options.timer ?? realTimer;
    const find = (topic: string, partition: number): MemoryPartition => cluster.partition(topic, partition);
    this.faults = new MemoryFaults(options.fate ?? (() => 'through'), find);
  }

  append(topic: string, partition: number, records: readonly Entry[]): Promise<Appended> {
    const invalid = invalidReason(records);
    if (invalid !== null) return Promise.resolve(refused('invalid', invalid));
    const append = { topic, partition, records: [...records] };
    return new Promise((resolve) => {
      const forget = this.ending.on(() => resolve(unknown('the log is closed')));
      const queue = `${partition} ${topic}`;
      const mine = this.inTurn(this.queues.get(queue), append).then((answer) => {
        if (this.queues.get(queue) === mine) this.queues.delete(queue);
        forget();
        resolve(answer);
        return answer;
      });
      this.queues.set(queue, mine);
    });
  }

  async read(topic: string, partition: number, offset: number, options: ReadOptions = {}): Promise<Fetched> {
    const waitMs = options.waitMs ?? 0;
    let expired = waitMs <= 0;
    let wake = nothing;
    const expire = (): void => {
      expired = true;
      wake();
    };
    const cancel = expired ? nothing : this.timer(waitMs, expire);
    try {
      for (;;) {
        const found = await this.reach(topic, partition);
        const fetched = fetchFrom(found, this.faults, offset, options);
        if (expired || fetched.outcome !== 'fetched' || fetched.records.length > 0) return fetched;
        await this.change(found, (resolve) => (wake = resolve));
      }
    } finally {
      cancel();
    }
  }

  async bounds(topic: string, partition: number): Promise<Bounds> {
    return this.faults.seen(await this.reach(topic, partition));
  }

  tail(handler: TailHandler): MemoryTail {
    const { cluster, faults, timer } = this;
    const { pollMs = POLL_MS, pace = null } = this.options;
    const tail = new MemoryTail({ cluster, faults, timer, pollMs, pace }, handler);
    this.tails.add(tail);
    return tail;
  }

  async close(): Promise<void> {
    this.ending.end();
    await Promise.all([...this.tails].map((tail) => tail.close()));
  }

  private async inTurn(before: Promise<Appended> | undefined, append: Attempted): Promise<Appended> {
    await before;
    if (this.ending.isOver) return unknown('the log is closed');
    const found = this.cluster.find(append.topic, append.partition);
    if (found === null) return refused('unknown_partition', `no partition ${append.partition} of ${append.topic}`);
    const bytes = batchBytes(append.records);
    if (bytes > found.bytesMax) return refused('too_large', `${bytes} bytes`);
    if (this.faults.unavailable) return this.unheard(append);
    const fate = this.faults.fateOf(append);
    if (this.faults.frozen !== null) return this.stuck(this.faults.frozen, found, append, fate);
    await this.options.pace?.('send', append);
    const answer = this.land(found, append, fate);
    await this.options.pace?.('answer', append);
    return answer;
  }

  /** That nobody answers is learned in time as well: who tries again at once must not stop the clock. */
  private async unheard(append: Attempted): Promise<Appended> {
    await this.options.pace?.('answer', append);
    return unknown('nobody answers');
  }

  /** The bytes lie in the socket of a frozen broker: they arrive at the thaw, even when given up before. */
  private stuck(thaw: Promise<void>, found: MemoryPartition, append: Attempted, fate: Fate): Promise<Appended> {
    return new Promise((resolve) => {
      const giveUp = (): void => resolve(unknown('no answer in time'));
      const cancel = this.timer(this.options.appendTimeoutMs ?? TIMEOUT_MS, giveUp);
      const arrive = async (): Promise<void> => {
        await thaw;
        cancel();
        resolve(this.land(found, append, fate));
      };
      void arrive();
    });
  }

  private land(found: MemoryPartition, append: Attempted, fate: Fate): Appended {
    if (fate === 'lost') return unknown('never arrived');
    if (fate === 'held') {
      this.faults.held.push({ ...append, arrive: () => found.append(append.records).offset });
      return unknown('on its way');
    }
    const landed = found.append(append.records);
    if (fate === 'through') return { outcome: 'appended', ...landed };
    if (fate === 'twice') found.append(append.records);
    return unknown('the answer was lost');
  }

  /** The partition, if anybody answers. */
  private async reach(topic: string, partition: number): Promise<MemoryPartition> {
    await this.options.pace?.('read', { topic, partition });
    if (this.faults.frozen !== null) await this.thawOrGiveUp(this.faults.frozen);
    if (this.ending.isOver) throw new LogUnavailable('the log is closed');
    if (this.faults.unavailable) throw new LogUnavailable('nobody answers');
    const found = this.cluster.find(topic, partition);
    if (found === null) throw new LogUnavailable(`no partition ${partition} of ${topic}`);
    return found;
  }

  private async thawOrGiveUp(thaw: Promise<void>): Promise<void> {
    let cancel = nothing;
    const late = new Promise<never>((_, reject) => {
      const giveUp = (): void => reject(new LogUnavailable('no answer in time'));
      cancel = this.timer(this.options.readTimeoutMs ?? TIMEOUT_MS, giveUp);
    });
    try {
      await Promise.race([thaw, late]);
    } finally {
      cancel();
    }
  }

  /** Fulfilled at the next change of what can be read, or when woken. */
  private async change(found: MemoryPartition, waker: (wake: () => void) => void): Promise<void> {
    let forget: readonly (() => void)[] = [];
    await new Promise<void>((resolve) => {
      forget = [found.listen(resolve), this.faults.listen(resolve), this.ending.on(resolve)];
      waker(resolve);
    });
    for (const end of forget) end();
  }
}

const unknown = (detail: string): Appended => ({ outcome: 'unknown', detail });
const refused = (reason: 'too_large' | 'unknown_partition' | 'invalid' | 'denied', detail: string): Appended => ({
  outcome: 'refused',
  reason,
  detail,
});
