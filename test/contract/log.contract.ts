import { LogUnavailable } from '@holdfast/log';
import type { Appended, Entry, Fetched, Log, LogRecord, TailBatch, TailHandler } from '@holdfast/log';

/** What the suite needs of an implementation. */
export type LogUnderTest = {
  /** Another client of the same cluster, as another process would have. */
  open(): Log;
  /** A new topic that nobody else uses; `bytesMax` is the limit of a batch. */
  topic(partitions: number, bytesMax?: number): Promise<string>;
  /** Retention: forgets everything before `offset`. */
  forget(topic: string, partition: number, offset: number): Promise<void>;
  stop(): Promise<void>;
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const entry = (value: string, key: string | null = null): Entry => ({ key, value: bytes(value) });
const entries = (...values: string[]): Entry[] => values.map((value) => entry(value));
const textOf = ({ value }: LogRecord): string | null => (value === null ? null : new TextDecoder().decode(value));
const texts = (records: readonly LogRecord[]): (string | null)[] => records.map(textOf);
const offsets = (records: readonly LogRecord[]): number[] => records.map(({ offset }) => offset);

export const acknowledged = (answer: Appended): number => {
  if (answer.outcome !== 'appended') throw new Error(JSON.stringify(answer));
  return answer.offset;
};

const fetched = (answer: Fetched): Extract<Fetched, { outcome: 'fetched' }> => {
  if (answer.outcome !== 'fetched') throw new Error(JSON.stringify(answer));
  return answer;
};

/** Everything a tail told, with a way to wait for a condition on it. */
export class Heard implements TailHandler {
  readonly batches: TailBatch[] = [];
  readonly outOfRanges: (readonly [string, number, number, { start: number; end: number }])[] = [];
  readonly troubles: string[] = [];
  private readonly waits = new Set<() => void>();

  batch(batch: TailBatch): void {
    this.batches.push(batch);
    this.check();
  }

  outOfRange(topic: string, partition: number, offset: number, bounds: { start: number; end: number }): void {
    this.outOfRanges.push([topic, partition, offset, bounds]);
    this.check();
  }

  trouble(detail: string): void {
    this.troubles.push(detail);
    this.check();
  }

  records(partition: number): readonly LogRecord[] {
    return this.batches.filter((batch) => batch.partition === partition).flatMap(({ records }) => records);
  }

  /** Fulfilled when the condition holds; the test's own time-out bounds it. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.waits.delete(check);
        resolve();
      };
      this.waits.add(check);
      check();
    });
  }

  private check(): void {
    for (const wait of this.waits) wait();
  }
}

/** The contract of `Log`, the same for every implementation. `make` is called once, before the first test. */
export function describeLog(name: string, make: () => Promise<LogUnderTest>): void {
  describe(`${name}: the log`, () => {
    let subject: LogUnderTest;
    let log: Log;

    beforeAll(async () => {
      subject = await make();
      log = subject.open();
    });

    afterAll(async () => {
      await log.close();
      await subject.stop();
    });

    const topic = (partitions = 1, bytesMax?: number): Promise<string> => subject.topic(partitions, bytesMax);

    const appendTo = async ({ name, partition }: { name: string; partition: number }): Promise<void> => {
      for (let round = 2; round < 20; round++) await log.append(name, partition, entries(`${round}`));
    };

    const tailing = async (work: (tail: ReturnType<Log['tail']>, heard: Heard) => Promise<void>): Promise<void> => {
      const heard = new Heard();
      const tail = log.tail(heard);
      try {
        await work(tail, heard);
      } finally {
        await tail.close();
      }
    };

    describe('append', () => {
      it('answers with the offset where the first record of the batch landed', async () => {
        const name = await topic();
        expect(acknowledged(await log.append(name, 0, entries('a', 'b', 'c')))).toBe(0);
        expect(acknowledged(await log.append(name, 0, entries('d')))).toBe(3);
        const { records, next, end } = fetched(await log.read(name, 0, 0));
        expect(texts(records)).toEqual(['a', 'b', 'c', 'd']);
        expect(offsets(records)).toEqual([0, 1, 2, 3]);
        expect([next, end]).toEqual([4, 4]);
      });

      it('keeps the call order of appends to one partition that were not waited for', async () => {
        const name = await topic();
        const values = Array.from({ length: 40 }, (_, index) => `${index}`);
        const answers = await Promise.all(values.map((value) => log.append(name, 0, entries(value))));
        expect(answers.map(acknowledged)).toEqual(values.map(Number));
        expect(texts(fetched(await log.read(name, 0, 0)).records)).toEqual(values);
      });

      it('stamps all records of a batch with the time that its answer gives', async () => {
        const name = await topic();
        const answer = await log.append(name, 0, entries('a', 'b'));
        const at = answer.outcome === 'appended' ? answer.at : null;
        expect(at).not.toBeNull();
        expect(fetched(await log.read(name, 0, 0)).records.map((record) => record.at)).toEqual([at, at]);
      });

      it('gives back keys, values and headers as they were written, nulls and bytes that are no text included', async () => {
        const name = await topic();
        const binary = Uint8Array.from({ length: 256 }, (_, index) => index);
        await log.append(name, 0, [
          { key: null, value: null },
          { key: 'k', value: binary, headers: { epoch: '7', name: 'über', empty: '' } },
          { key: 'ключ', value: new Uint8Array(0) },
        ]);
        const { records } = fetched(await log.read(name, 0, 0));
        expect(records.map(({ key }) => key)).toEqual([null, 'k', 'ключ']);
        expect(records.map(({ value }) => (value === null ? null : [...value]))).toEqual([null, [...binary], []]);
        expect(records.map(({ headers }) => headers)).toEqual([{}, { epoch: '7', name: 'über', empty: '' }, {}]);
      });

      it('lets each of two writers see by the offset whether the other wrote in between', async () => {
        const name = await topic();
        const other = subject.open();
        try {
          const writers = [log, other].map(async (writer, index) => {
            const own: number[] = [];
            for (let round = 0; round < 25; round++) {
              const batch = entries(`${index}-${round}-0`, `${index}-${round}-1`);
              own.push(acknowledged(await writer.append(name, 0, batch)));
            }
            return own;
          });
          const own = await Promise.all(writers);
          const { records } = fetched(await log.read(name, 0, 0));
          expect(offsets(records)).toEqual(Array.from({ length: 100 }, (_, index) => index));
          for (const [index, firsts] of own.entries()) {
            for (const [round, first] of firsts.entries()) {
              expect(texts(records.slice(first, first + 2))).toEqual([`${index}-${round}-0`, `${index}-${round}-1`]);
            }
          }
        } finally {
          await other.close();
        }
      });

      it('refuses a batch that is too large, whole, and goes on', async () => {
        const name = await topic(1, 10_000);
        const large: Entry[] = [entry('small'), { key: null, value: new Uint8Array(10_001) }];
        expect(await log.append(name, 0, large)).toMatchObject({ outcome: 'refused', reason: 'too_large' });
        expect(acknowledged(await log.append(name, 0, entries('fits')))).toBe(0);
      });

      it('refuses a partition and a topic that do not exist', async () => {
        const name = await topic(2);
        const missing = { outcome: 'refused', reason: 'unknown_partition' };
        expect(await log.append(name, 2, entries('a'))).toMatchObject(missing);
        expect(await log.append(`${name}-not-there`, 0, entries('a'))).toMatchObject(missing);
        expect(acknowledged(await log.append(name, 1, entries('a')))).toBe(0);
      });

      it('refuses a batch without records', async () => {
        expect(await log.append(await topic(), 0, [])).toMatchObject({ outcome: 'refused', reason: 'invalid' });
      });
    });

    describe('read', () => {
      it('starts in the middle of a batch', async () => {
        const name = await topic();
        await log.append(name, 0, entries('a', 'b', 'c', 'd'));
        const { records, next } = fetched(await log.read(name, 0, 2));
        expect([texts(records), offsets(records), next]).toEqual([['c', 'd'], [2, 3], 4]);
      });

      it('answers at the end with no records and the end', async () => {
        const name = await topic();
        expect(await log.read(name, 0, 0)).toEqual({ outcome: 'fetched', records: [], next: 0, end: 0 });
        await log.append(name, 0, entries('a'));
        expect(await log.read(name, 0, 1)).toEqual({ outcome: 'fetched', records: [], next: 1, end: 1 });
      });

      it('reads on in portions, each contiguous to the one before, and at least one batch at a time', async () => {
        const name = await topic();
        for (let round = 0; round < 8; round++) await log.append(name, 0, [entry('x'.repeat(1000)), entry(`${round}`)]);
        const seen: LogRecord[] = [];
        for (let next = 0; next < 16;) {
          const portion = fetched(await log.read(name, 0, next, { bytesMax: 100 }));
          expect(portion.records.length).toBeGreaterThan(0);
          seen.push(...portion.records);
          next = portion.next;
        }
        expect(offsets(seen)).toEqual(Array.from({ length: 16 }, (_, index) => index));
      });

      it('waits for a first record when asked to', async () => {
        const name = await topic();
        const waiting = log.read(name, 0, 0, { waitMs: 20_000 });
        await log.append(name, 0, entries('a'));
        expect(texts(fetched(await waiting).records)).toEqual(['a']);
      });

      it('comes back without records when none came within the wait', async () => {
        const name = await topic();
        expect(await log.read(name, 0, 0, { waitMs: 30 })).toMatchObject({ outcome: 'fetched', records: [], end: 0 });
      });

      it('is out of range beyond the end and before the start, and says what there is', async () => {
        const name = await topic();
        await log.append(name, 0, entries('a', 'b', 'c'));
        expect(await log.read(name, 0, 4)).toEqual({ outcome: 'out_of_range', start: 0, end: 3 });
        await subject.forget(name, 0, 2);
        expect(await log.read(name, 0, 1)).toEqual({ outcome: 'out_of_range', start: 2, end: 3 });
        expect(texts(fetched(await log.read(name, 0, 2)).records)).toEqual(['c']);
      });

      it('rejects for a partition that does not exist', async () => {
        const name = await topic();
        await expect(log.read(name, 1, 0)).rejects.toBeInstanceOf(LogUnavailable);
      });
    });

    describe('bounds', () => {
      it('are start and end, of an empty partition too', async () => {
        const name = await topic();
        expect(await log.bounds(name, 0)).toEqual({ start: 0, end: 0 });
        await log.append(name, 0, entries('a', 'b', 'c'));
        expect(await log.bounds(name, 0)).toEqual({ start: 0, end: 3 });
        await subject.forget(name, 0, 1);
        expect(await log.bounds(name, 0)).toEqual({ start: 1, end: 3 });
      });

      it('reject for a partition that does not exist', async () => {
        const name = await topic();
        await expect(log.bounds(name, 1)).rejects.toBeInstanceOf(LogUnavailable);
      });
    });

    describe('tail', () => {
      it('delivers what is there and what comes, in order, for many partitions', async () => {
        const names = [await topic(6), await topic(6)];
        const places = names.flatMap((name) => Array.from({ length: 6 }, (_, partition) => ({ name, partition })));
        for (const { name, partition } of places) await log.append(name, partition, entries('0', '1'));
        await tailing(async (tail, heard) => {
          for (const { name, partition } of places) tail.follow(name, partition, 0);
          await Promise.all(places.map((place) => appendTo(place)));
          const of = (at: { name: string; partition: number }): LogRecord[] =>
            heard.batches
              .filter(({ topic, partition }) => topic === at.name && partition === at.partition)
              .flatMap(({ records }) => records);
          await heard.until(() => places.every((place) => of(place).length >= 20));
          const all = Array.from({ length: 20 }, (_, index) => index);
          for (const place of places) expect([offsets(of(place)), texts(of(place))]).toEqual([all, all.map(String)]);
          expect(heard.troubles).toEqual([]);
        });
      });

      it('tells the end of a partition without records, and its own next offset', async () => {
        const name = await topic();
        await log.append(name, 0, entries('a', 'b'));
        await tailing(async (tail, heard) => {
          tail.follow(name, 0, 2);
          await heard.until(() => heard.batches.length > 0);
          expect(heard.batches[0]).toEqual({ topic: name, partition: 0, records: [], next: 2, end: 2 });
        });
      });

      it('tells the end again and again while nothing comes, as a sign of life', async () => {
        const name = await topic();
        await tailing(async (tail, heard) => {
          tail.follow(name, 0, 0);
          await heard.until(() => heard.batches.length >= 3);
          expect(heard.batches.every(({ end, next }) => end === 0 && next === 0)).toBe(true);
        });
      });

      it('takes up a partition while it waits for others', async () => {
        const name = await topic(8);
        await tailing(async (tail, heard) => {
          tail.follow(name, 0, 0);
          await heard.until(() => heard.batches.length > 0);
          for (let partition = 1; partition < 8; partition++) {
            tail.follow(name, partition, 0);
            await log.append(name, partition, entries('a'));
            await heard.until(() => heard.records(partition).length === 1);
          }
          for (let partition = 1; partition < 8; partition++) expect(heard.records(partition)).toHaveLength(1);
        });
      });

      it('starts in the middle of a batch', async () => {
        const name = await topic();
        await log.append(name, 0, entries('a', 'b', 'c'));
        await tailing(async (tail, heard) => {
          tail.follow(name, 0, 1);
          await heard.until(() => heard.records(0).length > 0);
          expect(texts(heard.records(0))).toEqual(['b', 'c']);
        });
      });

      it('moves to another position when followed again, and delivers nothing more of the old one', async () => {
        const name = await topic();
        await log.append(name, 0, entries('a', 'b', 'c', 'd'));
        await tailing(async (tail, heard) => {
          tail.follow(name, 0, 0);
          await heard.until(() => heard.records(0).length === 4);
          tail.follow(name, 0, 2);
          await heard.until(() => heard.records(0).length === 6);
          await log.append(name, 0, entries('e'));
          await heard.until(() => heard.records(0).length >= 7);
          expect(texts(heard.records(0))).toEqual(['a', 'b', 'c', 'd', 'c', 'd', 'e']);
        });
      });

      it('delivers only for the last of several positions given at once', async () => {
        const name = await topic();
        await log.append(name, 0, entries('a', 'b', 'c'));
        await tailing(async (tail, heard) => {
          tail.follow(name, 0, 0);
          tail.follow(name, 0, 1);
          tail.follow(name, 0, 2);
          await heard.until(() => heard.records(0).length > 0);
          expect(texts(heard.records(0))).toEqual(['c']);
        });
      });

      it('is silent about a partition given up, also from within the handler', async () => {
        const name = await topic(2);
        await log.append(name, 0, entries('a'));
        await tailing(async (tail, heard) => {
          const hear = heard.batch.bind(heard);
          heard.batch = (batch): void => {
            if (batch.partition === 0) tail.unfollow(name, 0);
            hear(batch);
          };
          tail.follow(name, 0, 0);
          tail.follow(name, 1, 0);
          await heard.until(() => heard.records(0).length === 1);
          await log.append(name, 0, entries('b'));
          await log.append(name, 1, entries('c'));
          await heard.until(() => heard.records(1).length === 1);
          expect(heard.batches.filter(({ partition }) => partition === 0)).toHaveLength(1);
        });
      });

      it('tells a position out of range, once, gives that partition up and goes on with the others', async () => {
        const name = await topic(3);
        for (const partition of [0, 1, 2]) await log.append(name, partition, entries('a', 'b', 'c'));
        await subject.forget(name, 0, 2);
        await tailing(async (tail, heard) => {
          tail.follow(name, 0, 1);
          tail.follow(name, 1, 4);
          tail.follow(name, 2, 0);
          await heard.until(() => heard.outOfRanges.length >= 2 && heard.records(2).length === 3);
          const told = [...heard.outOfRanges].sort(([, a], [, b]) => a - b);
          expect(told).toEqual([
            [name, 0, 1, { start: 2, end: 3 }],
            [name, 1, 4, { start: 0, end: 3 }],
          ]);
          tail.follow(name, 0, 2);
          await heard.until(() => heard.records(0).length === 1);
          await log.append(name, 1, entries('d'));
          await log.append(name, 2, entries('d'));
          await heard.until(() => heard.records(2).length === 4);
          expect(heard.records(1)).toEqual([]);
          expect(heard.outOfRanges).toHaveLength(2);
        });
      });

      it('goes on with the others when a followed partition does not exist', async () => {
        const name = await topic(1);
        await tailing(async (tail, heard) => {
          tail.follow(name, 9, 0);
          tail.follow(name, 0, 0);
          await log.append(name, 0, entries('a'));
          await heard.until(() => heard.records(0).length === 1 && heard.troubles.length > 0);
          expect(texts(heard.records(0))).toEqual(['a']);
        });
      });

      it('calls no handler after it was closed', async () => {
        const name = await topic();
        const heard = new Heard();
        const tail = log.tail(heard);
        tail.follow(name, 0, 0);
        await heard.until(() => heard.batches.length > 0);
        await tail.close();
        const count = heard.batches.length;
        await log.append(name, 0, entries('a'));
        expect(texts(fetched(await log.read(name, 0, 0, { waitMs: 5000 })).records)).toEqual(['a']);
        expect(heard.batches).toHaveLength(count);
      });
    });

    describe('close', () => {
      it('ends tails, answers later appends "unknown" and rejects later reads', async () => {
        const name = await topic();
        const closing = subject.open();
        expect(acknowledged(await closing.append(name, 0, entries('a')))).toBe(0);
        closing.tail(new Heard()).follow(name, 0, 0);
        await closing.close();
        expect(await closing.append(name, 0, entries('b'))).toMatchObject({ outcome: 'unknown' });
        await expect(closing.read(name, 0, 0)).rejects.toBeInstanceOf(LogUnavailable);
        expect(texts(fetched(await log.read(name, 0, 0)).records)).toEqual(['a']);
      });
    });
  });
}
