import { mkdtempSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Arming } from './arming.js';
import type { Fleet } from './fleet.js';
import type { Load } from './load.js';
import type { Strike } from './schedule.js';
import { Striker } from './striker.js';
import { TrackedRun } from './tracked-run.js';
import { untilAborted, type Until } from './waits.js';

const strike: Strike = { id: 1, point: 'executor.call.after', action: 'kill', nth: 1, after: 'kill' };

const run = (runId: string, ended: boolean): TrackedRun => {
  const tracked = new TrackedRun(runId, 'keyed', 'carried');
  if (ended) tracked.ended = { reason: 'succeeded', at: 1 };
  return tracked;
};

/** A fleet with runs under way, in which nothing happens by itself. */
const world = (more: Partial<Fleet> = {}, runs = [run('a', true)]) => {
  const arming = new Arming(join(mkdtempSync(join(tmpdir(), 'striker-')), 'armed'));
  const fleet = {
    plan: { folder: 'here' },
    arming,
    until: untilAborted(undefined),
    readyFor: () => Promise.resolve(),
    ownerOf: () => ({ member: {}, isWorker: true }),
    ...more,
  };
  const load = {
    runs,
    begin: () => undefined,
    end: () => undefined,
    goOn: (): void => undefined,
    isUnderWay: () => true,
    take: () => runs,
  };
  const comes = (): void => renameSync(arming.file, `${arming.file}.4711.42`);
  return { striker: new Striker(fleet as unknown as Fleet, load as unknown as Load), load, comes };
};

describe('a strike', () => {
  it('tells who came to the failpoint, with the runs that were under way', async () => {
    const { striker, load, comes } = world();
    load.goOn = comes;
    const struck = await striker.strike(strike);
    expect(struck).toMatchObject({ jam: null, runs: [{ runId: 'a' }] });
    expect(struck.hitAt).not.toBeNull();
  });

  it('tells who came at the last moment, when nobody looked any more', async () => {
    const { striker, comes } = world({
      until: ((what: string, ask: () => unknown) => {
        if (!what.includes('failpoint')) return untilAborted(undefined)(what, ask);
        comes();
        return Promise.resolve({ hit: null });
      }) as Until,
    });
    expect((await striker.strike(strike)).hitAt).not.toBeNull();
  });

  it.each<[string, Partial<Fleet>]>([
    ['is not ready', { readyFor: () => Promise.reject(new Error('in vain')) }],
    [
      'knows nothing of who was hit',
      {
        ownerOf: () => {
          throw new Error('in vain');
        },
      },
    ],
  ])('hands its runs over also where the fleet %s', async (_, fleet) => {
    const { striker, load, comes } = world(fleet);
    load.goOn = comes;
    expect(await striker.strike(strike)).toMatchObject({ jam: 'in vain', runs: [{ runId: 'a' }] });
  });

  it('ends at once when it is aborted, and hands over what has ended', async () => {
    const signal = AbortSignal.abort();
    const runs = [run('a', true), run('b', false)];
    const { striker } = world({ plan: { signal } as Fleet['plan'], until: untilAborted(signal) }, runs);
    const began = performance.now();
    expect((await striker.strike(strike)).runs.map(({ runId }) => runId)).toEqual(['a']);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
