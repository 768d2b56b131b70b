import type { Log, LogRecord } from '@holdfast/log';
import { Heard } from './heard.js';
import { entries, fetched, offsets, texts } from './values.js';
import type { LogWorld } from './world.js';

/** What a tail promises. */
export function describeTailing(world: LogWorld): void {
  const appendTo = async ({ name, partition }: { name: string; partition: number }): Promise<void> => {
    for (let round = 2; round < 20; round++) await world.log.append(name, partition, entries(`${round}`));
  };

  const tailing = async (work: (tail: ReturnType<Log['tail']>, heard: Heard) => Promise<void>): Promise<void> => {
    const heard = new Heard();
    const tail = world.log.tail(heard);
    try {
      await work(tail, heard);
    } finally {
      await tail.close();
    }
  };

  describe('tail', () => {
    it('delivers what is there and what comes, in order, for many partitions', async () => {
      const names = [await world.topic(6), await world.topic(6)];
      const places = names.flatMap((name) => Array.from({ length: 6 }, (_, partition) => ({ name, partition })));
      for (const { name, partition } of places) await world.log.append(name, partition, entries('0', '1'));
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
      const name = await world.topic();
      await world.log.append(name, 0, entries('a', 'b'));
      await tailing(async (tail, heard) => {
        tail.follow(name, 0, 2);
        await heard.until(() => heard.batches.length > 0);
        expect(heard.batches[0]).toEqual({ topic: name, partition: 0, records: [], next: 2, end: 2 });
      });
    });

    it('tells the end again and again while nothing comes, as a sign of life', async () => {
      const name = await world.topic();
      await tailing(async (tail, heard) => {
        tail.follow(name, 0, 0);
        await heard.until(() => heard.batches.length >= 3);
        expect(heard.batches.every(({ end, next }) => end === 0 && next === 0)).toBe(true);
      });
    });

    it('takes up a partition while it waits for others', async () => {
      const name = await world.topic(8);
      await tailing(async (tail, heard) => {
        tail.follow(name, 0, 0);
        await heard.until(() => heard.batches.length > 0);
        for (let partition = 1; partition < 8; partition++) {
          tail.follow(name, partition, 0);
          await world.log.append(name, partition, entries('a'));
          await heard.until(() => heard.records(partition).length === 1);
        }
        for (let partition = 1; partition < 8; partition++) expect(heard.records(partition)).toHaveLength(1);
      });
    });

    it('starts in the middle of a batch', async () => {
      const name = await world.topic();
      await world.log.append(name, 0, entries('a', 'b', 'c'));
      await tailing(async (tail, heard) => {
        tail.follow(name, 0, 1);
        await heard.until(() => heard.records(0).length > 0);
        expect(texts(heard.records(0))).toEqual(['b', 'c']);
      });
    });

    it('moves to another position when followed again, and delivers nothing more of the old one', async () => {
      const name = await world.topic();
      await world.log.append(name, 0, entries('a', 'b', 'c', 'd'));
      await tailing(async (tail, heard) => {
        tail.follow(name, 0, 0);
        await heard.until(() => heard.records(0).length === 4);
        tail.follow(name, 0, 2);
        await heard.until(() => heard.records(0).length === 6);
        await world.log.append(name, 0, entries('e'));
        await heard.until(() => heard.records(0).length >= 7);
        expect(texts(heard.records(0))).toEqual(['a', 'b', 'c', 'd', 'c', 'd', 'e']);
      });
    });

    it('delivers only for the last of several positions given at once', async () => {
      const name = await world.topic();
      await world.log.append(name, 0, entries('a', 'b', 'c'));
      await tailing(async (tail, heard) => {
        tail.follow(name, 0, 0);
        tail.follow(name, 0, 1);
        tail.follow(name, 0, 2);
        await heard.until(() => heard.records(0).length > 0);
        expect(texts(heard.records(0))).toEqual(['c']);
      });
    });

    it('is silent about a partition given up, also from within the handler', async () => {
      const name = await world.topic(2);
      await world.log.append(name, 0, entries('a'));
      await tailing(async (tail, heard) => {
        const hear = heard.batch.bind(heard);
        heard.batch = (batch): void => {
          if (batch.partition === 0) tail.unfollow(name, 0);
          hear(batch);
        };
        tail.follow(name, 0, 0);
        tail.follow(name, 1, 0);
        await heard.until(() => heard.records(0).length === 1);
        await world.log.append(name, 0, entries('b'));
        await world.log.append(name, 1, entries('c'));
        await heard.until(() => heard.records(1).length === 1);
        expect(heard.batches.filter(({ partition }) => partition === 0)).toHaveLength(1);
      });
    });

    it('tells a position out of range, once, gives that partition up and goes on with the others', async () => {
      const name = await world.topic(3);
      for (const partition of [0, 1, 2]) await world.log.append(name, partition, entries('a', 'b', 'c'));
      await world.subject.forget(name, 0, 2);
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
        await world.log.append(name, 1, entries('d'));
        await world.log.append(name, 2, entries('d'));
        await heard.until(() => heard.records(2).length === 4);
        expect(heard.records(1)).toEqual([]);
        expect(heard.outOfRanges).toHaveLength(2);
      });
    });

    it('goes on with the others when a followed partition does not exist', async () => {
      const name = await world.topic(1);
      await tailing(async (tail, heard) => {
        tail.follow(name, 9, 0);
        tail.follow(name, 0, 0);
        await world.log.append(name, 0, entries('a'));
        await heard.until(() => heard.records(0).length === 1 && heard.troubles.length > 0);
        expect(texts(heard.records(0))).toEqual(['a']);
      });
    });

    it('calls no handler after it was closed', async () => {
      const name = await world.topic();
      const heard = new Heard();
      const tail = world.log.tail(heard);
      tail.follow(name, 0, 0);
      await heard.until(() => heard.batches.length > 0);
      await tail.close();
      const count = heard.batches.length;
      await world.log.append(name, 0, entries('a'));
      expect(texts(fetched(await world.log.read(name, 0, 0, { waitMs: 5000 })).records)).toEqual(['a']);
      expect(heard.batches).toHaveLength(count);
    });
  });
}
