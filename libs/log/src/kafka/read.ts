import type { Ending } from '../ending.js';
import { LogUnavailable } from '../log.port.js';
import type { Bounds, Fetched, ReadOptions } from '../log.port.js';
import { Behind, type Said } from './behind.js';
import { deniedWords } from './access.js';
import type { BrokerClient } from './client.js';
import { within } from './deadline.js';
import { fetchFrom, recordsFrom } from './fetch.js';
import { answerType, detailOf } from './internals.js';
import type { Broker } from './internals.js';
import type { Leader } from './session.js';

const EARLIEST = -2;
const LATEST = -1;
/** Above the largest batch of any topic of ours, so that a whole one fits. */
const BYTES_MAX_DEFAULT = 1_200_000;
/** A broker serves one request of a connection at a time: waits are cut so that other waiting reads get in between. */
const WAIT_SLICE_MS = 100;

type Place = { readonly topic: string; readonly partition: number };

export type ReadRules = {
  readonly timeoutMs: number;
  readonly ending: Ending;
  /** Who reads, as access lists name it. */
  readonly principal: string;
};

/** Reads on demand. A try without an answer within `timeoutMs` rejects with `LogUnavailable`. */
export class Reader {
  private readonly behind = new Behind();

  constructor(
    private readonly prompt: BrokerClient,
    private readonly waiting: BrokerClient,
    private readonly rules: ReadRules,
  ) {}

  async read(place: Place, offset: number, options: ReadOptions = {}): Promise<Fetched> {
    const waitUntil = performance.now() + (options.waitMs ?? 0);
    let fetched = await this.fetch(place, offset, options, 0);
    while (fetched.outcome === 'fetched' && fetched.records.length === 0) {
      const leftMs = Math.ceil(waitUntil - performance.now());
      if (leftMs <= 0) break;
      fetched = await this.fetch(place, offset, options, Math.min(WAIT_SLICE_MS, leftMs));
    }
    return fetched;
  }

  async bounds(place: Place): Promise<Bounds> {
    const { start, end } = await this.said(place);
    return { start, end };
  }

  private said(place: Place): Promise<Said> {
    return this.ask(this.prompt, place, 0, async ({ broker, session }) => ({
      start: await listed(broker, place, EARLIEST),
      end: await listed(broker, place, LATEST),
      copies: session.copies(place.topic, place.partition),
    }));
  }

  private async fetch(place: Place, offset: number, options: ReadOptions, waitMs: number): Promise<Fetched> {
    const { bytesMax = BYTES_MAX_DEFAULT, sparse = false } = options;
    const limits = { waitMs, bytesMax, partitionBytesMax: bytesMax };
    const client = waitMs === 0 ? this.prompt : this.waiting;
    try {
      const [got] = await this.ask(client, place, waitMs, ({ broker }) =>
        fetchFrom(broker, [{ ...place, next: offset }], limits),
      );
      if (got === undefined) throw new LogUnavailable('the answer names no partition');
      this.behind.forget({ ...place, offset });
      const { records, next } = recordsFrom(got.answer, offset, sparse);
      const end = Number(got.answer.highWatermark);
      // Alone in its fetch, a partition with anything left before its end gives it: compaction has taken the rest.
      const hole = sparse && got.answer.messages.length === 0;
      return { outcome: 'fetched', records, next: hole ? Math.max(next, end) : next, end };
    } catch (error) {
      if (!(error instanceof LogUnavailable) || answerType(error.cause) !== 'OFFSET_OUT_OF_RANGE') throw error;
      return this.outOfRange(place, offset);
    }
  }

  private async outOfRange(place: Place, offset: number): Promise<Fetched> {
    const said = await this.said(place);
    const { start, end } = said;
    if (this.behind.isOutOfRange({ ...place, offset }, said, performance.now()))
      return { outcome: 'out_of_range', start, end };
    throw new LogUnavailable(
      `${place.topic} ${place.partition}: ${offset} is wanted and ${end} its end, says a leader`,
    );
  }

  private async ask<T>(
    client: BrokerClient,
    { topic, partition }: Place,
    waitMs: number,
    request: (leader: Leader) => Promise<T>,
  ): Promise<T> {
    let leader: Leader | null = null;
    const work = async (): Promise<T> => {
      leader = await client.leader(topic, partition);
      return request(leader);
    };
    try {
      return await within(work(), this.rules.timeoutMs + waitMs, `read of ${topic} ${partition}`, this.rules.ending);
    } catch (error) {
      if (leader !== null) client.blame(leader, error);
      const denied = answerType(error) === 'TOPIC_AUTHORIZATION_FAILED';
      const detail = denied ? deniedWords(this.rules.principal, 'read', topic) : detailOf(error);
      throw new LogUnavailable(detail, { cause: error });
    }
  }
}

async function listed(broker: Broker, { topic, partition }: Place, timestamp: number): Promise<number> {
  const partitions = [{ partition, timestamp }];
  const { responses } = await broker.listOffsets({ isolationLevel: 1, topics: [{ topic, partitions }] });
  const offset = Number(responses[0]?.partitions[0]?.offset);
  if (!(offset >= 0)) throw new Error(`no offset for ${topic} ${partition}`);
  return offset;
}
