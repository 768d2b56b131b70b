import { LIMITS } from '@holdfast/events';
import { asking, dataOf, node, question } from '../../../../test/support/asking.js';
import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { planOf, step } from '../../../../test/support/plans.js';

const SKEW_MS = 100;

describe('the ladder', () => {
  const assignees = [
    { to: 'ann', afterMs: 0 },
    { to: 'bob', afterMs: 10_000 },
    { to: 'cleo', afterMs: 20_000 },
  ];
  const reminders = (lane: LaneHarness) => dataOf(lane, 'EscalationReminded').map(({ nth, to }) => [nth, to]);

  it('asks the next in line after their time, and reminds those who were asked', () => {
    const lane = asking({ assignees, remindEveryMs: 8_000, withinMs: 25_000 });
    for (let second = 0; second < 30; second += 1) lane.tick(1_000);
    expect(reminders(lane)).toEqual([
      [1, ['ann']],
      [2, ['ann', 'bob']],
      [3, ['ann', 'bob']],
      [4, ['ann', 'bob', 'cleo']],
      [5, ['ann', 'bob', 'cleo']],
    ]);
  });

  it('says it once when nobody was there to say it in time, also after a take-over', () => {
    const former = asking({ assignees, remindEveryMs: 1_000 });
    former.clock.forward(15_000);
    const lane = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat().tick(1);
    expect(reminders(lane)).toEqual([[1, ['ann', 'bob']]]);
    expect(
      lane
        .tick(500)
        .tick(600)
        .tick(300)
        .told.filter((name) => name === 'EscalationReminded q'),
    ).toHaveLength(2);
  });

  it('ends with the answer, and with a bound', () => {
    const lane = asking({ remindEveryMs: 1_000 }).tick(1_000);
    lane.decides(question(lane), 'yes').tick(5_000);
    expect(reminders(lane)).toHaveLength(1);
    const long = asking({ remindEveryMs: 1_000, withinMs: 900_000 });
    long.proves = false;
    for (let second = 0; second < LIMITS.remindersMax + 20; second += 1) long.tick(1_000);
    expect(reminders(long)).toHaveLength(LIMITS.remindersMax);
  });

  it('goes on where the bound of the reminders is reached: the last in line is asked in their time', () => {
    const late = [
      { to: 'ann', afterMs: 0 },
      { to: 'bob', afterMs: 105_000 },
    ];
    const lane = asking({ assignees: late, remindEveryMs: 1_000, withinMs: 900_000 });
    lane.proves = false;
    for (let second = 0; second < 120; second += 1) lane.tick(1_000);
    expect(reminders(lane).slice(LIMITS.remindersMax)).toEqual([[LIMITS.remindersMax + 1, ['ann', 'bob']]]);
  });
});

describe('silence', () => {
  it.each([
    [undefined, ['EscalationExpired q', 'RunEnded'], 'escalation_expired'],
    ['end' as const, ['EscalationExpired q', 'RunEnded'], 'escalation_expired'],
    ['fail' as const, ['EscalationExpired q', 'StepFailed q', 'RunEnded'], 'failed'],
    [{ answer: 'no' }, ['EscalationExpired q', 'StepSucceeded q', 'RunEnded'], 'succeeded'],
  ])('means what the question says: %j', (onSilence, told, reason) => {
    const lane = asking({ withinMs: 1_000, ...(onSilence === undefined ? {} : { onSilence }) });
    lane.tick(999);
    expect(lane.run().status).toBe('running');
    lane.tick(1 + SKEW_MS);
    expect(lane.told.filter((name) => !name.startsWith('Lane')).slice(2)).toEqual(told);
    expect(lane.run().end?.reason).toBe(reason);
  });

  it('names nobody', () => {
    const lane = asking({ withinMs: 1_000, onSilence: { answer: 'no' } }).tick(2_000);
    expect(lane.events().every(({ principal }) => principal === null)).toBe(true);
    expect(dataOf(lane, 'StepSucceeded')).toMatchObject([{ by: 'silence', session: null, result: 'no' }]);
  });

  it('lets what does not depend on the question go on, where it fails the step and the plan tolerates that', () => {
    const plan = planOf(
      { ...node({ withinMs: 1_000, onSilence: 'fail' }), onFailure: 'continue' },
      step('a', 'verifiable'),
      step('b', 'pure', { after: ['q'] }),
    );
    const lane = new LaneHarness().seat().submit(plan).tick(2_000).claims('run-1/a/0').say('AttemptSucceeded');
    expect(lane.told).not.toContain('StepScheduled b');
    expect(lane.run().end?.reason).toBe('succeeded');
  });
});
