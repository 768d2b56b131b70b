import { silentLogger, systemTimer } from '@holdfast/sdk';
import { Projection } from '../projection/projection.js';
import { MemoryStore } from '../store/memory-store.js';
import { StoreUnavailable, type Chunk } from '../store/row-store.js';
import { SourceWriter } from './source-writer.js';

const source = { topic: 't', partition: 0 };
const nothing = { take: () => ({ accepted: [], rows: {} }), drop: () => undefined };

/** A writer over rows of which `write` decides, and what it said was wrong. */
const setUp = (write: (rows: MemoryStore, chunk: Chunk) => Promise<boolean>) => {
  const rows = new MemoryStore();
  const projection = new Projection(source, 0, nothing);
  const troubles: (string | null)[] = [];
  const writer = new SourceWriter(projection, {
    store: { position: (of) => rows.position(of), write: (chunk) => write(rows, chunk) },
    timer: systemTimer,
    logger: silentLogger,
    anew: () => undefined,
    trouble: (detail) => void troubles.push(detail),
  });
  return { projection, troubles, writer };
};

describe('a write of which the answer is lost', () => {
  it('is no trouble any more as soon as the position shows that it was done', async () => {
    const { projection, troubles, writer } = setUp((rows, chunk) => {
      rows.writeNow(chunk);
      return Promise.reject(new StoreUnavailable('away'));
    });
    projection.took(0, 1);
    await writer.write();
    expect(troubles).toEqual(['away', null]);
    expect(projection.projected).toBe(1);
  });

  it('is none either when the database is heard of', () => {
    const { troubles, writer } = setUp((rows, chunk) => rows.write(chunk));
    writer.heard(0);
    expect(troubles).toEqual([null]);
  });
});
