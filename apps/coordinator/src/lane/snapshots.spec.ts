import { laneDigest } from '@holdfast/events';
import { digest } from '../../../../test/support/digest.js';
import { FakeHistory } from '../../../../test/support/fake-history.js';
import { LaneHarness, type HarnessOptions } from '../../../../test/support/lane-harness.js';
import { one } from '../../../../test/support/plans.js';
import { readAgain } from '../../../../test/support/snapshots.js';

const settings = { snapshotEvents: 4, snapshotEveryMs: 1_000 };
const leading = (options: HarnessOptions = {}): LaneHarness => new LaneHarness({ settings, ...options }).seat();

const next = (former: LaneHarness, options: HarnessOptions = {}): LaneHarness =>
  new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock, settings, ...options });

/** Others who take the lane over, each in a world of his own. */
const nextAlone = (former: LaneHarness, options: HarnessOptions = {}): LaneHarness => {
  const history = new FakeHistory();
  history.append(former.history.values);
  return next(former, { history, ...options });
};

const readsOf = ({ outputs }: LaneHarness): readonly number[] =>
  outputs.flatMap((output) => (output.type === 'ReadHistory' ? [output.from] : []));

describe('a snapshot of a lane', () => {
  it('is taken after so many events, right after a batch, and not more often than it may be', () => {
    const lane = leading();
    expect(lane.taken).toEqual([]);
    lane.submit(one('pure'));
    lane.submit(one('pure'), { runId: 'run-2' });
    expect(lane.taken.map(({ anchor }) => anchor.seq)).toEqual([3]);
    lane.submit(one('pure'), { runId: 'run-3' });
    lane.submit(one('pure'), { runId: 'run-4' });
    expect(lane.taken).toHaveLength(1);
    lane.clock.forward(1_000);
    lane.submit(one('pure'), { runId: 'run-5' });
    const { epoch, seq, chain } = lane.machine.lane;
    expect(lane.taken.map(({ anchor }) => anchor)).toEqual([
      expect.objectContaining({ seq: 3, offset: 4 }),
      { offset: lane.history.values.length, epoch, seq, owner: 'C1', chain },
    ]);
  });

  it('is taken of what is history alone: not of a batch that may not be there', () => {
    const lane = leading();
    lane.holdsAppends = true;
    lane.submit(one('pure')).submit(one('pure'), { runId: 'run-2' }).submit(one('pure'), { runId: 'run-3' });
    lane.answer('answer_lost');
    expect(lane.taken).toEqual([]);
    // It is sent again; the first copy is the valid one, and what lies after it is read.
    lane.answer();
    expect(lane.machine.lane.seq).toBeGreaterThan(0);
    expect(lane.taken).toEqual([]);
  });

  it('no longer changes once it is taken', () => {
    const lane = leading();
    lane.submit(one('pure')).submit(one('pure'), { runId: 'run-2' });
    const [taken] = lane.taken;
    if (taken === undefined) throw new Error('nothing was taken');
    const before = laneDigest(readAgain(taken).lane, digest);
    lane.say('AttemptSucceeded').cancel('run-2').tick(100);
    expect(laneDigest(readAgain(taken).lane, digest)).toBe(before);
  });

  it('is none where snapshots are switched off', () => {
    const lane = leading({ settings: { snapshotEvents: 0 } });
    for (const runId of ['a', 'b', 'c', 'd']) lane.submit(one('pure'), { runId });
    expect(lane.outputs.some(({ type }) => type === 'TakeSnapshot' || type === 'ReadSnapshot')).toBe(false);
  });
});

describe('a lane that is taken over from a snapshot', () => {
  const former = () => {
    const lane = leading();
    lane.submit(one('pure')).submit(one('verifiable'), { runId: 'run-2' });
    return lane;
  };
  const restored = (lane: LaneHarness) => {
    const taken = lane.taken.at(-1);
    if (taken === undefined) throw new Error('nothing was taken');
    return readAgain(taken);
  };

  it('reads what came after it and nothing before, and leads as if it had', () => {
    const lane = former().say('AttemptSucceeded').claims('run-2/a/0');
    const whole = nextAlone(lane, { settings: {} }).seat();
    const short = nextAlone(lane);
    short.snapshot = () => restored(lane);
    short.seat();
    expect(readsOf(short)).toEqual([restored(lane).next]);
    expect(short.machine.phase).toBe('leading');
    expect([...short.watched]).toEqual([...whole.watched]);
    expect(short.reactions).toEqual(whole.reactions);
    expect(laneDigest(short.machine.lane, digest)).toBe(laneDigest(whole.machine.lane, digest));
  });

  it('makes the reactions again that were not acknowledged when it was taken', () => {
    const lane = new LaneHarness({ settings });
    lane.reacts = false;
    lane.seat().submit(one('pure')).submit(one('verifiable'), { runId: 'run-2' });
    const short = next(lane);
    short.snapshot = () => restored(lane);
    short.seat();
    expect(short.commands).toEqual(lane.commands);
    expect(short.replies).toEqual(lane.replies);
  });

  it('makes no reaction again that was acknowledged', () => {
    const lane = former();
    lane.tick(6_000);
    const short = nextAlone(lane);
    short.snapshot = () => restored(lane);
    expect(short.seat().reactions).toEqual([]);
    expect(nextAlone(lane, { settings: {} }).seat().reactions).toEqual([]);
  });

  it('that is behind what it has folded itself keeps what it has', () => {
    const lane = former();
    const late = restored(lane);
    lane.snapshot = () => late;
    lane.submit(one('pure'), { runId: 'run-3' }).unseat();
    const before = lane.machine.next;
    lane.holdsAppends = true;
    lane.seat();
    expect(readsOf(lane).at(-1)).toBe(before);
    expect(lane.outputs.filter(({ type }) => type === 'ReadSnapshot')).toEqual([
      { type: 'ReadSnapshot', beyond: 0 },
      { type: 'ReadSnapshot', beyond: before + settings.snapshotEvents },
    ]);
  });

  it('that contradicts what comes after it begins anew from the first record, and is not stopped by it', () => {
    const lane = former().say('AttemptSucceeded');
    const wrong = restored(lane);
    wrong.lane.chain = 'of something else';
    const short = next(lane);
    short.snapshot = () => wrong;
    short.seat();
    expect(short.stopped).toBeNull();
    expect(short.outputs).toContainEqual({ type: 'DropSnapshot', reason: expect.stringContaining('another hash') });
    expect(readsOf(short)).toEqual([wrong.next, 0]);
    expect(short.machine.phase).toBe('leading');
  });

  it('stops when history contradicts itself, as it would without', () => {
    const lane = former();
    lane.history.append([new TextEncoder().encode('nonsense')]);
    const short = next(lane);
    short.snapshot = () => restored(lane);
    short.seat();
    expect(short.stopped).toContain('cannot be read');
  });

  it('does not wait for what was looked for in an earlier seat', () => {
    const lane = former();
    const late = next(lane);
    late.snapshot = () => restored(lane);
    late.seat().unseat();
    late.give({ type: 'SnapshotRead', restored: restored(lane) });
    expect(late.machine.phase).toBe('unseated');
  });
});
