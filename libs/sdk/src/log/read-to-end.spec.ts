import { createMemoryLog, createMemoryTopics, MemoryCluster, type Log } from '@holdfast/log';
import { readToEnd } from './read-to-end.js';

const place = { topic: 't', partition: 0 };
const bytes = (text: string): Uint8Array => Buffer.from(text);

const open = async (): Promise<Log> => {
  const cluster = new MemoryCluster();
  const spec = { name: 't', partitions: 1, cleanup: 'delete', retentionMs: -1 } as const;
  await createMemoryTopics(cluster).ensure([spec]);
  return createMemoryLog(cluster);
};

describe('reading to the end', () => {
  it.each([false, true])('leaves what is written meanwhile to the next reading (sparse: %s)', async (sparse) => {
    const log = await open();
    await log.append('t', 0, [{ key: null, value: bytes('a') }]);
    // Another record lands between the question for the end and the reading.
    const busy: Log = {
      ...log,
      bounds: async (topic, partition) => {
        const bounds = await log.bounds(topic, partition);
        await log.append('t', 0, [{ key: null, value: bytes('b') }]);
        return bounds;
      },
      read: (...asked) => log.read(...asked),
    };
    const taken: string[] = [];
    const take = ({ value }: { readonly value: Uint8Array | null }) =>
      void taken.push(Buffer.from(value ?? '').toString());
    const next = await readToEnd(busy, place, take, { sparse });
    expect({ taken: [...taken], next }).toEqual({ taken: ['a'], next: 1 });
    await readToEnd(log, place, take, { sparse, from: next });
    expect(taken).toEqual(['a', 'b']);
    await log.close();
  });
});
