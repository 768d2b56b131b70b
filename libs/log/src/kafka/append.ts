import { batchBytes, invalidReason } from '../batch-bytes.js';
import type { Appended, Entry } from '../log.port.js';
import { deniedWords } from './access.js';
import type { BrokerClient } from './client.js';
import { within } from './deadline.js';
import { Ending } from '../ending.js';
import { answerType, detailOf } from './internals.js';
import type { Message, ProduceAnswer } from './internals.js';
import { UnknownPartition } from './session.js';
import type { Leader } from './session.js';

export type AppenderOptions = {
  /** From the moment an append is first in its partition's queue until it is answered `unknown`, in ms. */
  readonly timeoutMs: number;
  /** A guard well above every topic's own limit: the broker cuts the connection at 100 MB. In bytes. */
  readonly batchBytesMax: number;
  /** Who writes, as access lists name it. */
  readonly principal: string;
};

/** The broker gives up waiting for its followers this much before the client gives up on the broker. */
const BROKER_LEAD_MS = 500;

/** Broker answers that prove that nothing was written, and come again with the same bytes. */
const REFUSED = new Map<string, 'too_large' | 'invalid' | 'denied'>([
  ['MESSAGE_TOO_LARGE', 'too_large'],
  ['RECORD_LIST_TOO_LARGE', 'too_large'],
  ['INVALID_TOPIC_EXCEPTION', 'invalid'],
  ['INVALID_RECORD', 'invalid'],
  ['TOPIC_AUTHORIZATION_FAILED', 'denied'],
  ['CLUSTER_AUTHORIZATION_FAILED', 'denied'],
]);

/** Appends batches, one in flight per partition, without retries, over a few clients (partition modulo their number). */
export class Appender {
  private readonly queues = new Map<string, Promise<Appended>>();
  private readonly ending = new Ending();

  constructor(
    private readonly clients: readonly BrokerClient[],
    private readonly options: AppenderOptions,
  ) {}

  append(topic: string, partition: number, records: readonly Entry[]): Promise<Appended> {
    const invalid = invalidReason(records);
    if (invalid !== null) return Promise.resolve(refused('invalid', invalid));
    const bytes = batchBytes(records);
    if (bytes > this.options.batchBytesMax) return Promise.resolve(refused('too_large', `${bytes} bytes`));
    return new Promise((resolve) => {
      const forget = this.ending.on(() => resolve(unknown('the log is closed')));
      const queue = `${partition} ${topic}`;
      const mine = this.inTurn(this.queues.get(queue), topic, partition, records).then((answer) => {
        if (this.queues.get(queue) === mine) this.queues.delete(queue);
        forget();
        resolve(answer);
        return answer;
      });
      this.queues.set(queue, mine);
    });
  }

  close(): void {
    this.ending.end();
  }

  private async inTurn(
    before: Promise<Appended> | undefined,
    topic: string,
    partition: number,
    records: readonly Entry[],
  ): Promise<Appended> {
    await before;
    return this.send(topic, partition, records);
  }

  private async send(topic: string, partition: number, records: readonly Entry[]): Promise<Appended> {
    if (this.ending.isOver) return unknown('the log is closed');
    const client = this.clients[partition % this.clients.length];
    if (client === undefined) return unknown('no client');
    let leader: Leader | null = null;
    let late = false;
    const work = async (): Promise<ProduceAnswer> => {
      leader = await client.leader(topic, partition);
      // Whoever asked has been told "unknown" and may have moved on: do not send behind their back.
      if (late || this.ending.isOver) throw new Error('not sent: no leader in time');
      return this.produce(leader, topic, partition, records);
    };
    try {
      const answer = await within(work(), this.options.timeoutMs, `append to ${topic} ${partition}`, this.ending);
      return check(topic, partition, answer);
    } catch (error) {
      late = true;
      if (leader !== null) client.blame(leader, error);
      return classify(error, this.options.principal, topic);
    }
  }

  private produce(leader: Leader, topic: string, partition: number, records: readonly Entry[]): Promise<ProduceAnswer> {
    const partitions = [{ partition, firstSequence: 0, messages: records.map(message) }];
    const timeout = Math.max(BROKER_LEAD_MS, this.options.timeoutMs - BROKER_LEAD_MS);
    return leader.broker.produce({ acks: -1, timeout, topicData: [{ topic, partitions }] });
  }
}

function message({ key, value, headers }: Entry): Message {
  const bytes = value === null ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { key, value: bytes, headers: headers ?? {} };
}

/** Only an answer for exactly this partition with an offset counts as acknowledged. */
function check(topic: string, partition: number, answer: ProduceAnswer): Appended {
  const entries = answer.topics.flatMap(({ topicName, partitions }) => partitions.map((at) => ({ topicName, ...at })));
  const [entry] = entries;
  if (entries.length !== 1 || entry === undefined) return unknown(`answer names ${entries.length} partitions`);
  if (entry.topicName !== topic || entry.partition !== partition) return unknown('answer names another partition');
  const offset = Number(entry.baseOffset);
  if (entry.errorCode !== 0 || !(offset >= 0)) return unknown(`code ${entry.errorCode}, offset ${entry.baseOffset}`);
  const at = Number(entry.logAppendTime);
  return { outcome: 'appended', offset, at: at >= 0 ? at : null };
}

function classify(error: unknown, principal: string, topic: string): Appended {
  if (error instanceof UnknownPartition) return refused('unknown_partition', error.message);
  const reason = REFUSED.get(answerType(error) ?? '');
  if (reason === 'denied') return refused(reason, deniedWords(principal, 'write', topic));
  return reason === undefined ? unknown(detailOf(error)) : refused(reason, detailOf(error));
}

const unknown = (detail: string): Appended => ({ outcome: 'unknown', detail });
const refused = (reason: 'too_large' | 'unknown_partition' | 'invalid' | 'denied', detail: string): Appended => ({
  outcome: 'refused',
  reason,
  detail,
});
