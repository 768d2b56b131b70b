import { LogUnavailable } from '@holdfast/log';
import { Heard } from './heard.js';
import { acknowledged, entries, fetched, texts } from './values.js';
import type { LogWorld } from './world.js';

/** What is promised of a log that was closed. */
export function describeClosing(world: LogWorld): void {
  describe('close', () => {
    it('ends tails, answers later appends "unknown" and rejects later reads', async () => {
      const name = await world.topic();
      const closing = world.subject.open();
      expect(acknowledged(await closing.append(name, 0, entries('a')))).toBe(0);
      closing.tail(new Heard()).follow(name, 0, 0);
      await closing.close();
      expect(await closing.append(name, 0, entries('b'))).toMatchObject({ outcome: 'unknown' });
      await expect(closing.read(name, 0, 0)).rejects.toBeInstanceOf(LogUnavailable);
      expect(texts(fetched(await world.log.read(name, 0, 0)).records)).toEqual(['a']);
    });
  });
}
