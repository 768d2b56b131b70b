import { Ending } from '../ending.js';
import type {
  Appended,
  Bounds,
  Entry,
  Fetched,
  Log,
  ReadOptions,
  Tail,
  TailHandler,
  TailOptions,
} from '../log.port.js';
import { principalOf } from './access.js';
import { Appender } from './append.js';
import { BrokerClient } from './client.js';
import type { KafkaOptions } from './options.js';
import { Reader } from './read.js';
import { KafkaTail } from './tail.js';

export type KafkaLogOptions = KafkaOptions & {
  /** From first in its partition's queue until an append is answered `unknown`, in ms; default 3000. */
  readonly appendTimeoutMs?: number;
  /** How long a read waits for the broker beyond its own `waitMs`, in ms; default 3000. */
  readonly readTimeoutMs?: number;
  /** Connections for appends; a partition always uses the same one. A broker serves one request of each at a time; default 3. */
  readonly producers?: number;
  /** Larger batches are refused before they are sent, in bytes; default 4 MiB, above every topic's own limit. */
  readonly batchBytesMax?: number;
};

/** A `Log` on Kafka. Connects when first used, and again after every failure; no call rejects at creation. */
export function createKafkaLog(options: KafkaLogOptions): Log {
  return new KafkaLog(options);
}

class KafkaLog implements Log {
  private readonly clients: BrokerClient[] = [];
  private readonly ending = new Ending();
  private readonly tails = new Set<KafkaTail>();
  private readonly appender: Appender;
  private readonly reader: Reader;
  private readonly readTimeoutMs: number;

  constructor(private readonly options: KafkaLogOptions) {
    const { appendTimeoutMs = 3000, readTimeoutMs = 3000, producers = 3, batchBytesMax = 4 * 1024 * 1024 } = options;
    this.readTimeoutMs = readTimeoutMs;
    const writers = Array.from({ length: producers }, () => this.client(appendTimeoutMs));
    this.appender = new Appender(writers, {
      timeoutMs: appendTimeoutMs,
      batchBytesMax,
      principal: principalOf(options),
    });
    this.reader = new Reader(this.client(readTimeoutMs), this.client(readTimeoutMs), {
      timeoutMs: readTimeoutMs,
      ending: this.ending,
      principal: principalOf(options),
    });
  }

  append(topic: string, partition: number, records: readonly Entry[]): Promise<Appended> {
    return this.appender.append(topic, partition, records);
  }

  read(topic: string, partition: number, offset: number, options?: ReadOptions): Promise<Fetched> {
    return this.reader.read({ topic, partition }, offset, options);
  }

  bounds(topic: string, partition: number): Promise<Bounds> {
    return this.reader.bounds({ topic, partition });
  }

  tail(handler: TailHandler, { paceMs = 0 }: TailOptions = {}): Tail {
    const timeoutMs = this.readTimeoutMs;
    const clients = {
      main: new BrokerClient(this.options, timeoutMs),
      busy: new BrokerClient(this.options, timeoutMs),
      aside: new BrokerClient(this.options, timeoutMs),
    };
    const closed = (tail: KafkaTail): void => void this.tails.delete(tail);
    const tail = new KafkaTail({ ...clients, timeoutMs, paceMs, closed }, this.reader, handler);
    this.tails.add(tail);
    return tail;
  }

  async close(): Promise<void> {
    this.ending.end();
    this.appender.close();
    await Promise.all([...this.tails].map((tail) => tail.close()));
    await Promise.all(this.clients.map((client) => client.close()));
  }

  private client(timeoutMs: number): BrokerClient {
    const client = new BrokerClient(this.options, timeoutMs);
    this.clients.push(client);
    return client;
  }
}
