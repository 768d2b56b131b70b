import { LogUnavailable, type LogRecord } from '@holdfast/log';
import { entries, entry, fetched, offsets, texts } from './values.js';
import type { LogWorld } from './world.js';

/** What reads and bounds promise. */
export function describeReading(world: LogWorld): void {
  describe('read', () => {
    it('starts in the middle of a batch', async () => {
      const name = await world.topic();
      await world.log.append(name, 0, entries('a', 'b', 'c', 'd'));
      const { records, next } = fetched(await world.log.read(name, 0, 2));
      expect([texts(records), offsets(records), next]).toEqual([['c', 'd'], [2, 3], 4]);
    });

    it('answers at the end with no records and the end', async () => {
      const name = await world.topic();
      expect(await world.log.read(name, 0, 0)).toEqual({ outcome: 'fetched', records: [], next: 0, end: 0 });
      await world.log.append(name, 0, entries('a'));
      expect(await world.log.read(name, 0, 1)).toEqual({ outcome: 'fetched', records: [], next: 1, end: 1 });
    });

    it('reads on in portions, each contiguous to the one before, and at least one batch at a time', async () => {
      const name = await world.topic();
      for (let round = 0; round < 8; round++)
        await world.log.append(name, 0, [entry('x'.repeat(1000)), entry(`${round}`)]);
      const seen: LogRecord[] = [];
      for (let next = 0; next < 16;) {
        const portion = fetched(await world.log.read(name, 0, next, { bytesMax: 100 }));
        expect(portion.records.length).toBeGreaterThan(0);
        seen.push(...portion.records);
        next = portion.next;
      }
      expect(offsets(seen)).toEqual(Array.from({ length: 16 }, (_, index) => index));
    });

    it('waits for a first record when asked to', async () => {
      const name = await world.topic();
      const waiting = world.log.read(name, 0, 0, { waitMs: 20_000 });
      await world.log.append(name, 0, entries('a'));
      expect(texts(fetched(await waiting).records)).toEqual(['a']);
    });

    it('comes back without records when none came within the wait', async () => {
      const name = await world.topic();
      expect(await world.log.read(name, 0, 0, { waitMs: 30 })).toMatchObject({
        outcome: 'fetched',
        records: [],
        end: 0,
      });
    });

    it('is out of range beyond the end and before the start, and says what there is', async () => {
      const name = await world.topic();
      await world.log.append(name, 0, entries('a', 'b', 'c'));
      expect(await world.log.read(name, 0, 4)).toEqual({ outcome: 'out_of_range', start: 0, end: 3 });
      await world.subject.forget(name, 0, 2);
      expect(await world.log.read(name, 0, 1)).toEqual({ outcome: 'out_of_range', start: 2, end: 3 });
      expect(texts(fetched(await world.log.read(name, 0, 2)).records)).toEqual(['c']);
    });

    it('rejects for a partition that does not exist', async () => {
      const name = await world.topic();
      await expect(world.log.read(name, 1, 0)).rejects.toBeInstanceOf(LogUnavailable);
    });
  });

  describe('bounds', () => {
    it('are start and end, of an empty partition too', async () => {
      const name = await world.topic();
      expect(await world.log.bounds(name, 0)).toEqual({ start: 0, end: 0 });
      await world.log.append(name, 0, entries('a', 'b', 'c'));
      expect(await world.log.bounds(name, 0)).toEqual({ start: 0, end: 3 });
      await world.subject.forget(name, 0, 1);
      expect(await world.log.bounds(name, 0)).toEqual({ start: 1, end: 3 });
    });

    it('reject for a partition that does not exist', async () => {
      const name = await world.topic();
      await expect(world.log.bounds(name, 1)).rejects.toBeInstanceOf(LogUnavailable);
    });
  });
}
