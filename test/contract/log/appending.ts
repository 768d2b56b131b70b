import type { Entry } from '@holdfast/log';
import { acknowledged, entries, entry, fetched, offsets, texts } from './values.js';
import type { LogWorld } from './world.js';

/** What an append promises. */
export function describeAppending(world: LogWorld): void {
  describe('append', () => {
    it('answers with the offset where the first record of the batch landed', async () => {
      const name = await world.topic();
      expect(acknowledged(await world.log.append(name, 0, entries('a', 'b', 'c')))).toBe(0);
      expect(acknowledged(await world.log.append(name, 0, entries('d')))).toBe(3);
      const { records, next, end } = fetched(await world.log.read(name, 0, 0));
      expect(texts(records)).toEqual(['a', 'b', 'c', 'd']);
      expect(offsets(records)).toEqual([0, 1, 2, 3]);
      expect([next, end]).toEqual([4, 4]);
    });

    it('keeps the call order of appends to one partition that were not waited for', async () => {
      const name = await world.topic();
      const values = Array.from({ length: 40 }, (_, index) => `${index}`);
      const answers = await Promise.all(values.map((value) => world.log.append(name, 0, entries(value))));
      expect(answers.map(acknowledged)).toEqual(values.map(Number));
      expect(texts(fetched(await world.log.read(name, 0, 0)).records)).toEqual(values);
    });

    it('stamps all records of a batch with the time that its answer gives', async () => {
      const name = await world.topic();
      const answer = await world.log.append(name, 0, entries('a', 'b'));
      const at = answer.outcome === 'appended' ? answer.at : null;
      expect(at).not.toBeNull();
      expect(fetched(await world.log.read(name, 0, 0)).records.map((record) => record.at)).toEqual([at, at]);
    });

    it('gives back keys, values and headers as they were written, nulls and bytes that are no text included', async () => {
      const name = await world.topic();
      const binary = Uint8Array.from({ length: 256 }, (_, index) => index);
      await world.log.append(name, 0, [
        { key: null, value: null },
        { key: 'k', value: binary, headers: { epoch: '7', name: 'über', empty: '' } },
        { key: 'ключ', value: new Uint8Array(0) },
      ]);
      const { records } = fetched(await world.log.read(name, 0, 0));
      expect(records.map(({ key }) => key)).toEqual([null, 'k', 'ключ']);
      expect(records.map(({ value }) => (value === null ? null : [...value]))).toEqual([null, [...binary], []]);
      expect(records.map(({ headers }) => headers)).toEqual([{}, { epoch: '7', name: 'über', empty: '' }, {}]);
    });

    it('lets each of two writers see by the offset whether the other wrote in between', async () => {
      const name = await world.topic();
      const other = world.subject.open();
      try {
        const writers = [world.log, other].map(async (writer, index) => {
          const own: number[] = [];
          for (let round = 0; round < 25; round++) {
            const batch = entries(`${index}-${round}-0`, `${index}-${round}-1`);
            own.push(acknowledged(await writer.append(name, 0, batch)));
          }
          return own;
        });
        const own = await Promise.all(writers);
        const { records } = fetched(await world.log.read(name, 0, 0));
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
      const name = await world.topic(1, 10_000);
      const large: Entry[] = [entry('small'), { key: null, value: new Uint8Array(10_001) }];
      expect(await world.log.append(name, 0, large)).toMatchObject({ outcome: 'refused', reason: 'too_large' });
      expect(acknowledged(await world.log.append(name, 0, entries('fits')))).toBe(0);
    });

    it('refuses a partition and a topic that do not exist', async () => {
      const name = await world.topic(2);
      const missing = { outcome: 'refused', reason: 'unknown_partition' };
      expect(await world.log.append(name, 2, entries('a'))).toMatchObject(missing);
      expect(await world.log.append(`${name}-not-there`, 0, entries('a'))).toMatchObject(missing);
      expect(acknowledged(await world.log.append(name, 1, entries('a')))).toBe(0);
    });

    it('refuses a batch without records', async () => {
      expect(await world.log.append(await world.topic(), 0, [])).toMatchObject({
        outcome: 'refused',
        reason: 'invalid',
      });
    });
  });
}
