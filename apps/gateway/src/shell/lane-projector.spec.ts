import { eventually } from '@holdfast/dev';
import { createMemoryLog, MemoryCluster } from '@holdfast/log';
import { sha256, silentLogger, systemTimer } from '@holdfast/sdk';
import { LaneAuthor, runAccepted, runEnded } from '../../../../libs/sdk/src/lane/history.fixture.js';
import { MemoryStore } from '../store/memory-store.js';
import { StoreUnavailable, type Chunk } from '../store/row-store.js';
import { LaneProjector } from './lane-projector.js';

const topic = 'history';
const RUNS = 5_000;

describe('rows that are ahead of the log', () => {
  it('are told of, and left as they are', async () => {
    const cluster = new MemoryCluster();
    cluster.create({ name: topic, partitions: 1 });
    cluster.partition(topic, 0).append(new LaneAuthor(0).acquire('a'));
    const log = createMemoryLog(cluster, { pollMs: 5 });
    const rows = new MemoryStore();
    rows.writeNow({ source: { topic, partition: 0 }, from: 0, to: 9, changes: { accepted: [], rows: {} } });
    const store = { position: () => Promise.resolve(9), positions: () => Promise.resolve(new Map([[0, 9]])) };
    const parts = { log, topic, digest: sha256, timer: systemTimer, logger: silentLogger };
    const write = (chunk: Chunk) => rows.write(chunk);
    const projector = new LaneProjector({ ...parts, store: { ...store, write } });
    projector.hold(new Set([0]));
    await eventually('it is told', async () => {
      await projector.compare();
      return projector.status().troubles.get(0)?.includes('further than the log') === true;
    });
    await projector.close();
    await log.close();
  });
});

describe('a broken lane', () => {
  it('has the rows of what is before the defect, also after a rebuild', async () => {
    const cluster = new MemoryCluster();
    cluster.create({ name: topic, partitions: 1 });
    const author = new LaneAuthor(0);
    cluster.partition(topic, 0).append(author.acquire('a'));
    cluster.partition(topic, 0).append(author.decide('r', runAccepted('r'), runEnded()));
    cluster.partition(topic, 0).append([{ key: null, value: Buffer.from('nonsense') }]);
    const log = createMemoryLog(cluster, { pollMs: 5 });
    const rows = new MemoryStore();
    const store = {
      position: (source: Chunk['source']) => rows.position(source),
      positions: (name: string) => Promise.resolve(rows.positionsNow(name)),
      write: (chunk: Chunk) => rows.write(chunk),
    };
    const projector = new LaneProjector({
      log,
      topic,
      digest: sha256,
      store,
      timer: systemTimer,
      logger: silentLogger,
    });
    const isWritten = () => rows.positionNow({ topic, partition: 0 }) === 4 && projector.status().lanes.length === 0;
    projector.hold(new Set([0]));
    await eventually('rows are there', isWritten);
    expect(rows.all().runs).toMatchObject([{ runId: 'r' }]);
    const { broken } = projector.status();
    expect(broken.get(0)).toContain('offset 4');
    rows.rebuild();
    await projector.compare();
    await eventually('rows are there again', isWritten);
    expect(rows.all().runs).toMatchObject([{ runId: 'r' }]);
    expect(projector.status().broken).toEqual(broken);
    await projector.close();
    await log.close();
  });
});

describe('projecting while the database is away', () => {
  it('reads no further than a few chunks, and loses nothing of it', async () => {
    const cluster = new MemoryCluster();
    cluster.create({ name: topic, partitions: 1 });
    const author = new LaneAuthor(0);
    cluster.partition(topic, 0).append(author.acquire('a'));
    for (let run = 0; run < RUNS; run += 1) {
      const runId = `r${run}`;
      cluster.partition(topic, 0).append(author.decide(runId, runAccepted(runId), runEnded()));
    }
    const log = createMemoryLog(cluster, { pollMs: 5 });
    const rows = new MemoryStore();
    let isAway = true;
    const chunks: Chunk[] = [];
    const store = {
      position: (source: Chunk['source']) => rows.position(source),
      positions: (name: string) => Promise.resolve(rows.positionsNow(name)),
      write: (chunk: Chunk) => {
        chunks.push(chunk);
        return isAway ? Promise.reject(new StoreUnavailable('away')) : rows.write(chunk);
      },
    };
    const parts = { log, topic, digest: sha256, store, timer: systemTimer, logger: silentLogger };
    const projector = new LaneProjector(parts);
    projector.hold(new Set([0]));
    await eventually('it is tried several times', () => chunks.length >= 4);
    expect(new Set(chunks.map(({ to }) => to)).size).toBe(1);
    expect(projector.status().troubles.get(0)).toBe('away');
    isAway = false;
    await eventually(
      'everything is there',
      () => {
        projector.tick();
        return rows.positionNow({ topic, partition: 0 }) === 3 * RUNS + 1;
      },
      30_000,
    );
    expect(rows.all().runs).toHaveLength(RUNS);
    expect(Math.max(...chunks.map(({ from, to }) => to - from))).toBeLessThan(10_000);
    expect(projector.status().troubles.size).toBe(0);
    await projector.close();
    await log.close();
  });
});
