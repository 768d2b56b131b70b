import { SNAPSHOT_VERSION, restoreRow } from '@holdfast/events';
import * as fc from 'fast-check';
import { sha256 } from '../digest.js';
import { names, saying, snapshotWorld, takenIn } from './snapshot.fixture.js';

const two = async () => {
  const world = snapshotWorld();
  world.grow();
  await world.snap();
  const older = { digest: world.digestOf(0), next: world.taken().anchor.offset };
  world.grow();
  await world.snap('a');
  const newer = { digest: world.digestOf(0), next: world.taken().anchor.offset };
  world.grow();
  return { ...world, older, newer };
};

describe('a snapshot', () => {
  it('gives the lane as it was, and the latest is taken', async () => {
    const { find, newer } = await two();
    expect(await find()).toMatchObject({ ...newer, slot: 'b', ignored: [] });
  });

  it('is none where there is none, and nobody is warned', async () => {
    const { find } = snapshotWorld();
    expect(await find()).toMatchObject({ restored: null, slot: null, ignored: [] });
  });

  it('is of no use to whoever is further, and keeps its slot', async () => {
    const { find, newer, older } = await two();
    expect(await find({ beyond: newer.next })).toMatchObject({ restored: null, slot: 'b', ignored: [] });
    expect(await find({ beyond: older.next })).toMatchObject(newer);
  });

  it('of many pieces is put together again', async () => {
    const world = snapshotWorld();
    world.grow(0, 1_500);
    expect(await world.snap()).toMatchObject({ written: true, slot: 'a' });
    expect(world.records().length).toBeGreaterThan(3);
    expect(Math.max(...world.records().map(({ value }) => value?.length ?? 0))).toBeLessThan(256 * 1024);
    expect(await world.find()).toMatchObject({ digest: world.digestOf(0), ignored: [] });
  });

  it('that is half written does not take the place of the one before it, also once the topic was compacted', async () => {
    const world = await two();
    const log = world.log;
    log.faults.nextAppend('through');
    log.faults.nextAppend('lost');
    expect(await world.snap('b')).toMatchObject({ written: false, detail: expect.stringContaining('unknown') });
    world.cluster.partition(names.snapshots, 0).compact();
    expect(await world.find()).toMatchObject({ ...world.newer, slot: 'b', ignored: [] });
  });

  it('that was written over in its slot is ignored, and the one in the other slot is taken', async () => {
    const world = await two();
    const [piece] = world.records();
    world.put([{ key: 'b/0', value: piece?.value ?? null }]);
    world.cluster.partition(names.snapshots, 0).compact();
    expect(await world.find()).toMatchObject({ ...world.older, ignored: [expect.stringContaining('is missing')] });
  });

  it('is given up when it is wanted no more', async () => {
    const world = snapshotWorld();
    world.grow();
    world.log.faults.unavailable = true;
    expect(await world.snap()).toMatchObject({ written: false });
    expect(await world.find()).toMatchObject({ restored: null, ignored: [expect.stringContaining('no snapshot can')] });
  });
});

describe('a snapshot that is wrong', () => {
  const wrong = async (change: Parameters<typeof saying>[1]) => {
    const world = await two();
    const newest = world.records().findLast(({ key }) => key === 'b');
    world.put([{ key: 'b', value: saying(takenIn(newest?.value ?? null), change) }]);
    return world;
  };

  it.each([
    ['of another version of the fold', { version: SNAPSHOT_VERSION + 1 }, 'folded by version'],
    ['of another lane', { lane: 1 }, 'of lane 1'],
    ['of another epoch', { epoch: 2 }, 'history has 1/'],
    ['of another number', { seq: 7 }, 'history has 1/'],
    ['of another owner', { owner: 'somebody' }, 'history has 1/'],
    ['with another hash of history', { chain: sha256('x') }, 'another hash'],
    ['with another place', { offset: 4 }, 'history has 1/'],
    ['with a place in the middle of a batch', { offset: 3 }, 'not the end of a batch'],
    ['beyond the end', { offset: 1_000 }, 'history is kept from 0'],
  ])('%s is ignored with the reason, and the one before it is taken', async (_, change, reason) => {
    const { find, newer } = await wrong(change);
    expect(await find()).toMatchObject({ ...newer, ignored: [expect.stringContaining(reason)] });
  });

  it('is ignored where history before it is no longer kept', async () => {
    const world = await two();
    world.cluster.partition(names.history, 0).forget(world.newer.next);
    expect(await world.find()).toMatchObject({ restored: null });
    expect((await world.find()).ignored.join()).toContain('history is kept from');
  });

  it('is not looked for without end', async () => {
    const world = await two();
    for (let left = 20; left > 0; left -= 1) world.put([{ key: 'a', value: new Uint8Array([1]) }]);
    const { restored, ignored } = await world.find();
    expect([restored, ignored.length]).toEqual([null, 8]);
  });

  it('of another lane would be believed if it were not compared with history', async () => {
    const world = await two();
    world.grow(1);
    await world.snap('a', 1);
    const [piece, taken] = world.records(1);
    const at = world.put([{ key: 'a/0', value: piece?.value ?? null }]);
    const chunks = takenIn(taken?.value ?? null).chunks.map((chunk) => ({
      ...chunk,
      pieces: chunk.pieces.map((one) => ({ ...one, offset: at })),
    }));
    world.put([{ key: 'a', value: saying(takenIn(taken?.value ?? null), { chunks }) }]);
    expect(await world.find()).toMatchObject(world.newer);
    expect(await world.find({ comparesAnchor: false })).toMatchObject({ digest: world.digestOf(1) });
  });

  it('in whatever bit is not believed', async () => {
    const { records } = await two();
    const lengths = records().map(({ value }) => value?.length ?? 0);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(7), async (which, where, bit) => {
        const world = await two();
        // The newest one: its pieces and what it says of itself.
        const index = lengths.length - 1 - (which % 2);
        const value = world.records()[index]?.value;
        if (value) value[where % value.length] = (value[where % value.length] ?? 0) ^ (1 << bit);
        const found = await world.find();
        // Some bits around what it says mean nothing; what is taken is true all the same.
        expect([world.newer, world.older]).toContainEqual({ digest: found.digest, next: found.next });
        if (found.next === world.older.next) expect(found.ignored).toHaveLength(1);
      }),
      { numRuns: 150 },
    );
  });

  it('in any line of it, is not believed although its hash was made anew from nothing but pieces', async () => {
    const world = await two();
    const taken = takenIn(world.records().at(-1)?.value ?? null);
    const [chunk] = taken.chunks;
    const [piece] = chunk?.pieces ?? [];
    const other = world.records()[0]?.value ?? null;
    const at = world.put([{ key: 'b/0', value: other }]);
    const pieces = [{ offset: at, digest: piece?.digest ?? '' }];
    world.put([{ key: 'b', value: saying(taken, { chunks: [{ bytes: chunk?.bytes ?? 0, pieces }] }) }]);
    expect(await world.find()).toMatchObject({ ...world.newer, ignored: [expect.stringContaining('another one')] });
  });
});

it('lines of a snapshot that are no lines are refused', async () => {
  const { find } = await two();
  const { restored } = await find();
  if (restored === null) throw new Error('there is a snapshot');
  expect(() => restoreRow(restored, ['what', 'is this'])).toThrow('nobody knows');
});
