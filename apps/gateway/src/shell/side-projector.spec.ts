import { topicNames } from '@holdfast/contracts';
import { eventually } from '@holdfast/dev';
import { createMemoryLog, MemoryCluster } from '@holdfast/log';
import { silentLogger, systemTimer } from '@holdfast/sdk';
import { MemoryStore } from '../store/memory-store.js';
import { StoreUnavailable, type Chunk } from '../store/row-store.js';
import { SideProjector } from './side-projector.js';

const names = topicNames('sides');
const LETTERS = 40;
const BYTES = 1024 * 1024;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

describe('dead letters while the database is away', () => {
  it('are read no further than two chunks, and all become rows when it comes back', async () => {
    const cluster = new MemoryCluster();
    cluster.create({ name: names.deadLetters, partitions: 2 });
    const letters = Array.from({ length: LETTERS }, () => ({ key: null, value: Buffer.alloc(BYTES) }));
    for (const letter of letters) cluster.partition(names.deadLetters, 1).append([letter]);
    const log = createMemoryLog(cluster, { pollMs: 5 });
    const rows = new MemoryStore();
    let isAway = true;
    const written: Chunk[] = [];
    const write = async (chunk: Chunk) => {
      if (isAway) throw new StoreUnavailable('away');
      written.push(chunk);
      return rows.write(chunk);
    };
    const store = { position: (source: Chunk['source']) => rows.position(source), write };
    const projector = new SideProjector({ log, names, store, timer: systemTimer, logger: silentLogger });
    projector.hold(new Set([1]));
    const key = `${names.deadLetters}/1`;
    closing.push(
      () => log.close(),
      () => projector.close(),
    );
    await eventually('it is told of', () => projector.troubles.get(key) === 'away');
    isAway = false;
    const source = { topic: names.deadLetters, partition: 1 };
    await eventually('all are there', () => rows.positionNow(source) === LETTERS);
    expect(Math.max(...written.map(({ from, to }) => to - from))).toBeLessThan(12);
    expect(written.flatMap(({ changes }) => changes.rows.deadLetters ?? [])).toHaveLength(LETTERS);
    expect(projector.troubles.size).toBe(0);
  });
});
