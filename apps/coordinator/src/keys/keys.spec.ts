import { DEFAULTS, emptyTable, entriesIn, entryOf, LIMITS, type Concurrency } from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';

const plan = planOf(step('a', 'verifiable'));
type Policy = Concurrency['policy'];

/** Runs that share the key `pr-7`; all that lanes ask each other arrives at once. */
const play = () => new SeveralLanes(3);
const submit = (lanes: SeveralLanes, runId: string, policy: Policy, more: object = {}): SeveralLanes =>
  lanes.submit(plan, { runId, concurrency: { key: 'pr-7', policy }, ...more }).calm();
const keyOf = (lanes: SeveralLanes) => entryOf(lanes.at('key/pr-7').machine.lane.shared.keys, 'pr-7');
const endOf = (lanes: SeveralLanes, runId: string) => {
  const end = lanes
    .at(runId)
    .events()
    .find(({ event, subject }) => event.type === 'RunEnded' && subject === runId)?.event;
  return end?.type === 'RunEnded' ? `${end.data.reason}: ${end.data.detail}` : null;
};
const commands = (lanes: SeveralLanes): readonly string[] =>
  lanes.places.flatMap(({ harness }) => harness.commands).toSorted();

describe('a run with a key that nobody has', () => {
  it('gets it, works, and gives it back', () => {
    const lanes = submit(play(), 'one', 'queue');
    expect(keyOf(lanes)?.holder?.runId).toBe('one');
    expect(commands(lanes)).toEqual(['one/a/0']);
    lanes.work('one').calm();
    expect(endOf(lanes, 'one')).toBe('succeeded: ');
    expect(keyOf(lanes)).toBeUndefined();
  });

  it('schedules nothing before it has it, and says what it waits for', () => {
    const lanes = play().submit(plan, { runId: 'one', concurrency: { key: 'pr-7', policy: 'queue' } });
    expect(lanes.live('one')?.concurrency).toEqual({ key: 'pr-7', policy: 'queue', status: 'asked' });
    expect(lanes.live('one')?.steps).toEqual([]);
  });

  it('does not wait for ever for a lane that never answers', () => {
    const lanes = play().submit(plan, {
      runId: 'one',
      concurrency: { key: 'pr-7', policy: 'queue' },
      deadlineMs: 1_000,
    });
    lanes.tick(1_000);
    expect(endOf(lanes, 'one')).toContain('deadline_exceeded');
    // The claim is read after all, when the run is over: the key goes back.
    lanes.calm();
    expect(keyOf(lanes)).toBeUndefined();
  });
});

describe('a newcomer to a key that another run has', () => {
  it('queue: begins when the others are over, in the order in which they came', () => {
    const lanes = submit(submit(submit(play(), 'one', 'queue'), 'two', 'queue'), 'three', 'queue');
    expect(lanes.live('three')?.concurrency).toMatchObject({ status: 'waiting', holder: 'one', place: 2 });
    lanes.work('one').calm();
    expect(commands(lanes)).toEqual(['one/a/0', 'two/a/0']);
    lanes.cancel('two').tick(1_000).calm();
    expect(commands(lanes)).toEqual(['one/a/0', 'three/a/0', 'two/a/0']);
  });

  it('queue: a run that is cancelled while it waits is out of the way', () => {
    const lanes = submit(submit(submit(play(), 'one', 'queue'), 'two', 'queue'), 'three', 'queue');
    lanes.cancel('two').calm();
    expect(endOf(lanes, 'two')).toContain('cancelled');
    lanes.work('one').calm();
    expect(keyOf(lanes)?.holder?.runId).toBe('three');
  });

  it('reject: ends at once and names the run that has the key', () => {
    const lanes = submit(submit(play(), 'one', 'queue'), 'two', 'reject');
    expect(endOf(lanes, 'two')).toBe('superseded: run one has the key pr-7');
    expect(commands(lanes)).toEqual(['one/a/0']);
  });

  it('coalesce: ends at once and names the run that it has joined', () => {
    const lanes = submit(submit(play(), 'one', 'queue'), 'two', 'coalesce');
    expect(endOf(lanes, 'two')).toBe('superseded: joined run one, which has the key pr-7');
  });

  it('coalesce: joins the run that is about to replace the one at work', () => {
    const lanes = submit(play(), 'one', 'queue');
    lanes.at('one').claims('one/a/0', 'S', T0 + 60_000);
    submit(submit(lanes, 'two', 'cancel-older'), 'three', 'coalesce');
    expect(endOf(lanes, 'three')).toBe('superseded: joined run two, which has the key pr-7');
  });

  it('cancel-older: the run at work is stopped under the cancel bound, those that wait end at once', () => {
    const lanes = submit(submit(play(), 'one', 'queue'), 'two', 'queue');
    lanes.at('one').claims('one/a/0', 'S', T0 + 60_000);
    submit(lanes, 'three', 'cancel-older');
    expect(endOf(lanes, 'two')).toBe('superseded: run three replaces it: it has the key pr-7');
    expect([endOf(lanes, 'one'), commands(lanes)]).toEqual([null, ['one/a/0']]);
    lanes.tick(5_000).calm();
    expect(endOf(lanes, 'one')).toBe('superseded: 1 effects were open at the deadline');
    expect(commands(lanes)).toEqual(['one/a/0', 'three/a/0']);
  });

  it('cancel-older: the newest of several is the one that is left', () => {
    const lanes = submit(play(), 'one', 'queue');
    for (const runId of ['two', 'three', 'four']) submit(lanes, runId, 'cancel-older');
    lanes.tick(5_000).calm().tick(5_000).calm();
    expect(commands(lanes).includes('four/a/0')).toBe(true);
    expect(['one', 'two', 'three'].map((runId) => endOf(lanes, runId)?.split(':')[0])).toEqual([
      'superseded',
      'superseded',
      'superseded',
    ]);
  });

  it('cancel-older: a claim that comes again when its run is over sends nobody away', () => {
    const lanes = play().submit(plan, { runId: 'old', concurrency: { key: 'pr-7', policy: 'cancel-older' } });
    lanes.tell(lanes.laneOf('old'));
    lanes.deliver(0, true);
    const late = lanes.transit.splice(0);
    lanes.calm().work('old').calm();
    submit(lanes, 'new', 'queue');
    lanes.transit.push(...late);
    lanes.calm();
    expect(lanes.live('new')).toMatchObject({ cancel: null, concurrency: { status: 'granted' } });
    expect(keyOf(lanes)).toMatchObject({ holder: { runId: 'new' }, queue: [] });
  });

  it('is turned away when too many wait', () => {
    const lanes = submit(play(), 'one', 'queue');
    for (let index = 0; index <= LIMITS.keyQueueMax; index += 1) submit(lanes, `wait-${index}`, 'queue');
    expect(endOf(lanes, `wait-${LIMITS.keyQueueMax}`)).toBe('failed: too many runs wait for the key pr-7 already');
  });
});

describe('generations of a key', () => {
  it('a run about an older state of the world ends superseded, also when nobody has the key', () => {
    const lanes = submit(play(), 'new', 'queue', { generation: 7 });
    lanes.work('new').calm();
    submit(lanes, 'old', 'queue', { generation: 6 });
    expect(endOf(lanes, 'old')).toBe('superseded: run new is about a newer generation of pr-7');
    submit(lanes, 'same', 'queue', { generation: 7 });
    expect(keyOf(lanes)?.holder?.runId).toBe('same');
  });

  it('what waits is obsolete as soon as a newer one comes', () => {
    const lanes = submit(submit(play(), 'one', 'queue'), 'two', 'queue', { generation: 1 });
    submit(lanes, 'three', 'queue', { generation: 2 });
    expect(endOf(lanes, 'two')).toBe('superseded: run three is about a newer generation of pr-7');
  });

  it('are forgotten after a month in which nobody wanted the key', () => {
    const lanes = submit(play(), 'new', 'queue', { generation: 7 });
    lanes.work('new').calm();
    expect(keyOf(lanes)).toMatchObject({ holder: null, highest: { generation: 7, runId: 'new' } });
    lanes.tick(DEFAULTS.keyMemoryMs).calm();
    expect(keyOf(lanes)).toBeUndefined();
  });
});

describe('a run with a time of validity', () => {
  it('ends superseded under the cancel bound when it is over', () => {
    const lanes = play().submit(plan, { runId: 'one', validUntil: T0 + 2_000 });
    lanes.at('one').claims('one/a/0', 'S', T0 + 60_000);
    lanes.tick(2_000);
    expect(lanes.live('one')?.cancel).toMatchObject({ as: 'superseded', deadlineAt: T0 + 7_000 });
    lanes.tick(5_000);
    expect(endOf(lanes, 'one')).toContain('superseded');
  });

  it('ends at once where it still waits for its key', () => {
    const lanes = submit(submit(play(), 'one', 'queue'), 'two', 'queue', { validUntil: T0 + 500 });
    lanes.tick(500).calm();
    expect(endOf(lanes, 'two')).toBe('superseded: it was valid until 2026-11-29T12:00:00.500Z');
    expect(keyOf(lanes)?.queue).toEqual([]);
  });

  it('is refused when it comes too late', () => {
    const lanes = play().submit(plan, { runId: 'one', validUntil: T0 });
    expect(lanes.at('one').replies).toEqual(['submit one: obsolete']);
  });
});

describe('a key whose holder is over and whose word was lost', () => {
  it('is free again when the holder is told once more that it has it', () => {
    const lanes = submit(submit(play(), 'one', 'queue'), 'two', 'queue');
    lanes.work('one');
    lanes.tell(lanes.laneOf('one'));
    lanes.transit.splice(0);
    lanes.calm();
    expect(keyOf(lanes)?.holder?.runId).toBe('one');
    lanes.tick(DEFAULTS.keyAskAgainMs).calm();
    expect(keyOf(lanes)?.holder?.runId).toBe('two');
  });
});

describe('a key whose release was lost', () => {
  it.each(['reject', 'coalesce'] as const)('is free for the one after the next, also where they would %s', (policy) => {
    const lanes = submit(play(), 'one', policy).work('one');
    while (lanes.tell(lanes.laneOf('one')));
    expect(lanes.transit.splice(0).map(({ request: { type } }) => type)).toEqual(['ReleaseKey']);
    submit(lanes.tick(DEFAULTS.keyAskAgainMs), 'two', policy);
    expect(endOf(lanes, 'two')).toContain('superseded');
    submit(lanes, 'three', policy).work('three').calm();
    expect(endOf(lanes, 'three')).toBe('succeeded: ');
  });
});

describe('a run that never gets its key', () => {
  it.each(['reject', 'coalesce'] as const)('makes no other one obsolete: it is refused by %s', (policy) => {
    const lanes = submit(play(), 'one', 'queue', { generation: 1 });
    submit(submit(lanes, 'late', policy, { generation: 9 }), 'two', 'queue', { generation: 2 });
    lanes.work('one').calm();
    expect(keyOf(lanes)?.holder?.runId).toBe('two');
  });
});

describe('keys that nobody has any more', () => {
  const limits: { keysMax: number; keysIdleMax: number } = LIMITS;
  const { keysMax, keysIdleMax } = limits;
  afterEach(() => Object.assign(limits, { keysMax, keysIdleMax }));
  const use = (lanes: SeveralLanes, key: string): SeveralLanes =>
    lanes
      .submit(plan, { runId: `r-${key}`, generation: 1, concurrency: { key, policy: 'queue' } })
      .calm()
      .work(`r-${key}`)
      .tick(1)
      .calm();
  const keysOf = (lanes: SeveralLanes) =>
    entriesIn(lanes.places[0]?.harness.machine.lane.shared.keys ?? emptyTable).map(([key]) => key);

  it('are remembered up to a number, the latest ones', () => {
    limits.keysIdleMax = 2;
    const lanes = ['a', 'b', 'c', 'd'].reduce(use, new SeveralLanes(1));
    expect(keysOf(lanes).toSorted()).toEqual(['c', 'd']);
  });

  it('make room for one that somebody wants', () => {
    limits.keysMax = 2;
    const lanes = ['a', 'b', 'c'].reduce(use, new SeveralLanes(1));
    expect(endOf(lanes, 'r-c')).toBe('succeeded: ');
    expect(keysOf(lanes).toSorted()).toEqual(['b', 'c']);
  });
});
