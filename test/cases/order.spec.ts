import { topicNames } from '@holdfast/contracts';
import { createMemoryLog, MemoryCluster } from '@holdfast/log';
import { createClient } from '@holdfast/sdk';
import * as fc from 'fast-check';
import { Reader } from '../support/history-reader.js';
import { LaneHarness } from '../support/lane-harness.js';
import { FakeHistory } from '../support/fake-history.js';
import { word } from '../support/messages.js';
import { planOf, step } from '../support/plans.js';
import { RacingLanes } from './support/racing-lanes.js';

describe('case 80: two writers on one run', () => {
  const leading = () =>
    new LaneHarness()
      .seat()
      .submit(planOf(step('a', 'verifiable'), step('b', 'verifiable', { after: ['a'] })))
      .claims('run-1/a/0');

  it('write one line without a gap; who comes second stops, and nothing of what it decided is done', () => {
    let voids = 0;
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 4, maxLength: 30 }), (moves) => {
        const former = leading();
        const outcome = { kind: 'journal' as const, word: word('AttemptSucceeded') };
        const race = new RacingLanes(former, [outcome], ['A', 'B']);
        for (const move of moves) race.move(move);
        const winner = race.settle();

        const reader = new Reader(winner.history).catchUp();
        const numbers = reader.records.map(({ lane }) => lane.seq);
        expect(numbers).toEqual(numbers.map((_, index) => index));
        expect(reader.records.filter(({ event }) => event.type === 'StepSucceeded')).toHaveLength(1);
        expect(reader.records.filter(({ event }) => event.type === 'StepScheduled')).toHaveLength(2);
        // The first step's order is told again by each new owner: a copy of the same attempt.
        expect(new Set([...race.commanded, 'run-1/a/0'])).toEqual(new Set(['run-1/a/0', 'run-1/b/0']));
        expect(race.unfounded).toEqual([]);
        voids += race.voids;
      }),
      { numRuns: 200 },
    );
    expect(voids).toBeGreaterThan(0);
  });

  it('cannot go back: a batch from three numbers ago is void for everybody', () => {
    const former = leading();
    former.holdsAppends = true;
    former.say('AttemptSucceeded');
    const stale = former.pending[0]?.values ?? [];
    const next = new LaneHarness({ owner: 'B', history: former.history, clock: former.clock }).seat();
    next.cancel().tick(100);
    const before = new Reader(next.history).catchUp();
    next.history.append(stale);
    const after = new Reader(next.history).catchUp();
    expect(stale.length).toBeGreaterThan(1);
    expect(after.records).toEqual(before.records);
    expect(after.lane.counts.void).toBe(before.lane.counts.void + stale.length);
    expect({ ...after.lane, counts: null }).toEqual({ ...before.lane, counts: null });
    // The one who wrote it sees that it leads no more, and orders nothing.
    const commands = former.commands.length;
    former.answer();
    expect(former.commands).toHaveLength(commands);
    expect(former.machine.lane.owner).toBe('B');
  });
});

describe('case 83: the same events twice in the log', () => {
  const clean = (): readonly Uint8Array[] => {
    const lane = new LaneHarness().seat();
    const next = (id: string, before: string) => step(id, 'verifiable', { after: [before] });
    lane.submit(planOf(step('a', 'verifiable'), next('b', 'a'), next('c', 'b')));
    for (const id of ['a', 'b', 'c']) lane.claims(`run-1/${id}/0`).say('AttemptSucceeded', { step: id });
    expect(lane.run().end?.reason).toBe('succeeded');
    return lane.history.values;
  };
  /** Events 5, 6 and 7 come again right after 7, and 9 again at the end. */
  const doubled = (values: readonly Uint8Array[]): readonly Uint8Array[] =>
    [...values.slice(0, 8), ...values.slice(5, 8), ...values.slice(8), values[9]].filter(
      (value) => value !== undefined,
    );
  const folded = (values: readonly Uint8Array[]) => {
    const history = new FakeHistory();
    history.append(values);
    return new Reader(history).catchUp();
  };

  it('fold to the same state, and each is there once for whoever projects them', () => {
    const values = clean();
    const [one, two] = [folded(values), folded(doubled(values))];
    expect(values.length).toBeGreaterThan(10);
    expect({ ...two.lane, counts: null }).toEqual({ ...one.lane, counts: null });
    const ids = two.records.map(({ id }) => id);
    expect(ids).toEqual(one.records.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are counted where a run is read for an audit, not hidden', async () => {
    const values = clean();
    const read = async (all: readonly Uint8Array[]) => {
      const names = topicNames('t');
      const cluster = new MemoryCluster();
      cluster.create({ name: names.history, partitions: 1 });
      cluster.partition(names.history, 0).append(all.map((value) => ({ key: null, value })));
      const client = createClient({ log: createMemoryLog(cluster), namespace: 't', lanes: 1 });
      return client.readRun('run-1');
    };
    const [one, two] = [await read(values), await read(doubled(values))];
    expect(two.records).toEqual(one.records);
    expect(two.checked).toEqual({ ...one.checked, repeated: 4 });
  });
});
