import { createMemoryLog } from '@holdfast/log';
import { gzipAtOnce, sha256, writeSnapshot } from '@holdfast/sdk';
import { LaneHarness } from '../../../test/support/lane-harness.js';
import { one } from '../../../test/support/plans.js';
import { names, namespace } from './namespace.fixture.js';

const settings = { snapshotEvents: 1, snapshotEveryMs: 0 };
const lane = () => new LaneHarness({ lanes: 2, settings }).seat().submit(one('verifiable')).tick(100);

/** A lane with its history, and those of its snapshots that are wanted. */
const world = async (
  change: (taken: LaneHarness['taken'][number]) => LaneHarness['taken'][number] = (taken) => taken,
) => {
  const history = lane();
  const seen = await namespace({ histories: { 0: history } });
  const log = createMemoryLog(seen.cluster);
  for (const taken of history.taken) {
    const about = { log, topic: names.snapshots, lane: 0, digest: sha256, now: 0, wanted: () => true };
    await writeSnapshot({ ...about, last: null, packing: gzipAtOnce }, change(taken));
  }
  await log.close();
  return { ...seen, history };
};

describe('auditing', () => {
  it('folds every lane and holds its snapshots against the fold', async () => {
    const { run, out, history } = await world();
    expect(await run('audit')).toBe(0);
    expect(out()).toContain(`lane 0: ${history.machine.lane.seq + 1} records, every hash holds`);
    expect(out()).toContain('1 snapshot, the latest good one 0 events ago');
    expect(out()).toContain('lane 1: 0 records, every hash holds, 0 void, 0 repeated; 0 snapshots.');
  });

  it('says which snapshot is another one than history gives, and how', async () => {
    const { run, lines } = await world(({ capture, ...taken }) => ({
      ...taken,
      capture: { ...capture, at: capture.at + 1 },
    }));
    expect(await run('audit', '0', '--json')).toBe(1);
    expect(lines()).toMatchObject([
      { kind: 'snapshot', lane: 0, problem: 'what it holds is not what the fold has there' },
      { kind: 'audited', lane: 0, snapshots: 1 },
    ]);
  });

  it('says which snapshot is of no place in history', async () => {
    const { run, out } = await world(({ anchor, ...taken }) => ({ ...taken, anchor: { ...anchor, epoch: 7 } }));
    expect(await run('audit', '0')).toBe(1);
    expect(out()).toMatch(/snapshot at \d+, of \d+ in history: it stands at 7\//);
    expect(out()).toContain('1 snapshot not what history gives.');
  });

  it('knows no lane that is not there', async () => {
    const { run, err } = await world();
    expect(await run('audit', '2')).toBe(4);
    expect(err()).toContain('there is no lane 2');
    expect(await run('audit', 'first')).toBe(2);
  });
});
