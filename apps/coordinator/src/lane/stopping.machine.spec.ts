import { asked, LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { word } from '../../../../test/support/messages.js';
import { decision } from '../../../../test/support/submission.js';
import { forEach, one, planOf, step } from '../../../../test/support/plans.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';

const running = (policy = 'verifiable') => new LaneHarness().seat().submit(one(policy));
const since = (lane: LaneHarness, type: string) => {
  const { told } = lane;
  return told.slice(told.indexOf(type) + 1).filter((name) => name !== 'LaneAdvanced');
};
const endOf = (lane: LaneHarness, runId = 'run-1') => {
  const ends = lane
    .events()
    .flatMap(({ event, subject }) => (event.type === 'RunEnded' && subject === runId ? [event.data] : []));
  expect(ends).toHaveLength(1);
  return ends[0];
};

describe('a paused run', () => {
  const two = planOf(step('a', 'verifiable'), step('b', 'verifiable', { after: ['a'] }));

  it('closes what nobody has claimed, lets finish what is claimed, and starts nothing', () => {
    const plan = planOf(step('a', 'verifiable'), step('b', 'verifiable'), step('c', 'verifiable', { after: ['a'] }));
    const lane = new LaneHarness().seat().submit(plan).claims('run-1/a/0').ask('PauseRun');
    expect(lane.closes).toEqual(['run-1/b/0']);
    lane.closed('run-1/b/0').say('AttemptSucceeded').tick(60_000);
    expect(since(lane, 'RunPaused')).toEqual(['AttemptHeld a', 'AttemptClosed b', 'StepSucceeded a']);
    expect(lane.live()).toMatchObject({ paused: { principal: null }, steps: [{ stepId: 'b', tries: 0 }] });
    lane.ask('ResumeRun');
    expect(since(lane, 'RunResumed')).toEqual(['StepScheduled b/1', 'StepScheduled c']);
  });

  it('stays paused for whoever takes the lane over, and goes on when it is resumed there', () => {
    const former = new LaneHarness().seat().submit(two).claims('run-1/a/0').ask('PauseRun').say('AttemptSucceeded');
    const { history, clock } = former;
    const next = new LaneHarness({ owner: 'C2', history, clock }).seat().tick(1_000);
    expect(next.commands).toEqual([]);
    expect(next.ask('ResumeRun', { requestId: 'again' }).commands).toEqual(['run-1/b/0']);
  });

  it('makes no settling call: a doubt that only a call can settle waits, and nobody is asked', () => {
    const lane = running('keyed').claims('run-1/a/0').ask('PauseRun').dies().tick(70_000);
    expect(since(lane, 'RunPaused')).toEqual(['AttemptHeld a', 'DoubtOpened a']);
    lane.ask('ResumeRun');
    expect(since(lane, 'RunResumed')).toEqual(['StepScheduled a/1']);
  });

  it('closes a settling attempt that nobody has claimed', () => {
    const lane = running('keyed').claims('run-1/a/0').dies().ask('PauseRun');
    expect(lane.closes).toEqual(['run-1/a/1']);
  });

  it('orders nothing of what was scheduled before, also when another one takes the lane over', () => {
    const former = new LaneHarness();
    former.reacts = false;
    former.seat().submit(one('verifiable')).ask('PauseRun');
    const next = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat();
    expect([next.commands, next.closes]).toEqual([[], ['run-1/a/0']]);
  });

  it('orders a pure call that was scheduled before: nothing closes it, so nothing would make it later', () => {
    const former = new LaneHarness();
    former.reacts = false;
    former.seat().submit(one('pure')).ask('PauseRun');
    const next = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat();
    expect(next.commands).toEqual(['run-1/a/0']);
  });

  it('ends by its own deadline if nobody resumes it', () => {
    const lane = running().ask('PauseRun').closed('run-1/a/0').tick(999_999);
    expect(lane.told).not.toContain('RunEnded');
    lane.tick(1);
    expect(endOf(lane)).toMatchObject({ reason: 'deadline_exceeded', cause: { kind: 'deadline' } });
  });

  it('ends when what is under way completes it', () => {
    const lane = running().claims('run-1/a/0').ask('PauseRun').say('AttemptSucceeded');
    expect(endOf(lane)).toMatchObject({ reason: 'succeeded', cause: { kind: 'plan' } });
  });
});

describe('a cancelled run', () => {
  it('ends at once when it waits for somebody who serves its tool', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ partitions: [] }) };
    lane.seat().submit(one('verifiable')).cancel();
    expect(since(lane, 'RunWaiting')).toEqual(['CancelRequested', 'RunEnded']);
    expect(endOf(lane)).toMatchObject({ reason: 'cancelled', report: { applied: 0, running: [] } });
  });

  it('ends at once while a person is asked whether to try again, and the question is gone', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'verifiable', { retry: { triesMax: 1 } })));
    lane.claims('run-1/a/0').dies().tick(2_000);
    lane.judge(lane.doubtSeq(), 'absent', { askedAt: lane.clock.now });
    expect(lane.told).toContain('EscalationOpened a');
    lane.cancel();
    expect(lane.run()).toMatchObject({ status: 'ended', end: { reason: 'cancelled' } });
  });

  it('goes on finding out what is in doubt, during recovery and after its end', () => {
    const lane = running().claims('run-1/a/0').dies().cancel('run-1', 1_000).tick(1_000);
    expect(endOf(lane)).toMatchObject({ report: { inDoubt: [{ stepId: 'a' }], running: [], applied: 0 } });
    lane.tick(1_000).judge(lane.doubtSeq(), 'applied', { askedAt: lane.clock.now });
    const amended = lane.events().findLast(({ event }) => event.type === 'ReportAmended');
    expect(amended?.event.data).toMatchObject({ change: 'applied', report: { applied: 1, inDoubt: [] } });
    expect(lane.run().status).toBe('ended');
  });

  it('is cancelled although a question expires meanwhile; the question can still be answered', () => {
    const lane = new LaneHarness({ settings: { escalationMs: 2_000 } }).seat().submit(one('unprotected'));
    lane.claims('run-1/a/0').say('AttemptUnknown').tick(1_600);
    lane.cancel('run-1', 10_000).tick(4_000);
    expect(lane.told).toContain('EscalationExpired a');
    expect(lane.told).not.toContain('RunEnded');
    lane.tick(6_000);
    expect(endOf(lane)).toMatchObject({ reason: 'cancelled', report: { inDoubt: [{ stepId: 'a' }] } });
    lane.ask('AnswerEscalation', { stepId: 'a', choice: 'absent', lookedAt: lane.clock.now });
    expect(lane.run().status).toBe('ended');
  });

  it('ends by its deadline with no executor and no reconciler left, and names all that was open', () => {
    const policies = ['verifiable', 'keyed', 'unprotected', 'repeatable', 'pure'];
    const lane = new LaneHarness().seat().submit(planOf(...policies.map((policy) => step(policy, policy))));
    for (const policy of policies)
      if (policy !== 'keyed') lane.claims(`run-1/${policy}/0`, 'S', lane.clock.now + 60_000);
    lane.queues = {};
    lane.cancel('run-1', 500).tick(499);
    expect(lane.told).not.toContain('RunEnded');
    lane.tick(1);
    const running = [
      { stepId: 'verifiable', note: 'held by session S' },
      { stepId: 'keyed', note: 'nobody is known to have begun it' },
      { stepId: 'unprotected', note: 'held by session S' },
    ];
    expect(endOf(lane)).toMatchObject({ reason: 'cancelled', report: { running, totals: { running: 3 } } });
    lane.closed('run-1/keyed/0');
    const amended = lane.events().findLast(({ event }) => event.type === 'ReportAmended')?.event.data;
    expect(amended).toMatchObject({
      report: { absent: [{ stepId: 'keyed', note: 'closed' }], totals: { running: 2 } },
    });
  });

  it('drains: what is claimed may finish until the deadline, what is not is closed', () => {
    const plan = planOf(step('a', 'verifiable'), step('b', 'verifiable'));
    const lane = new LaneHarness()
      .seat()
      .submit(plan)
      .claims('run-1/a/0', 'S', lane0 + 60_000);
    lane.ask('CancelRun', { mode: 'drain', withinMs: 30_000 });
    expect(lane.closes).toEqual(['run-1/b/0']);
    lane.closed('run-1/b/0').tick(20_000).say('AttemptSucceeded');
    expect(endOf(lane)).toMatchObject({ report: { applied: 1, absent: [{ stepId: 'b', note: 'closed' }] } });
    const modes = lane.reactions.flatMap((reaction) => (reaction.kind === 'abort' ? [reaction.mode] : []));
    expect(modes).toEqual(['drain', 'abort']);
  });

  it('lists each effect that was ordered: there, not there, or not known', () => {
    const each = { ...forEach('each', [1, 2, 3, 4], step('a', 'verifiable')), window: 4 };
    const lane = new LaneHarness().seat().submit(planOf(each));
    const at = (index: number) => ({ step: `each[${index}].a` });
    for (const index of [0, 1, 2]) lane.claims(`run-1/each[${index}].a/0`);
    lane.say('AttemptSucceeded', at(0)).cancel();
    lane.say('AttemptSkipped', at(1)).say('AttemptUnknown', at(2)).closed('run-1/each[3].a/0').tick(5_000);
    const report = endOf(lane)?.report;
    const absent = [
      { stepId: 'each[1].a', note: 'skipped' },
      { stepId: 'each[3].a', note: 'closed' },
    ];
    expect(report).toMatchObject({ applied: 1, absent, inDoubt: [{ stepId: 'each[2].a' }], running: [] });
  });
});

const lane0 = new LaneHarness().clock.now;

describe('a run of which a step has failed', () => {
  it('lists what it has ordered and was not done because of that', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'verifiable'), step('b', 'verifiable')));
    lane.claims('run-1/a/0').say('AttemptFailed', {}, { retry: 'never' }).closed('run-1/b/0');
    const report = { stepsFailed: 1, absent: [{ stepId: 'b', note: 'closed' }], totals: { absent: 1 } };
    expect(endOf(lane)).toMatchObject({ reason: 'failed', report });
  });
});

describe('whoever takes over a run of which a step has failed', () => {
  it('orders nothing of it that is being closed', () => {
    const former = new LaneHarness();
    former.reacts = false;
    former.seat().submit(planOf(step('a', 'verifiable'), step('b', 'verifiable')));
    former.claims('run-1/a/0').say('AttemptFailed', {}, { retry: 'never' });
    const next = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat();
    expect([next.commands, next.closes]).toEqual([[], ['run-1/b/0']]);
  });
});

describe('a cancel and an end that meet', () => {
  it('have one winner by the order in history, and the answer says which', () => {
    const first = running().claims('run-1/a/0').say('AttemptSucceeded').cancel();
    expect(first.replies.at(-1)).toBe('cancel run-1: run_ended');
    expect(endOf(first)?.reason).toBe('succeeded');
    const later = running().claims('run-1/a/0').cancel().say('AttemptSucceeded');
    expect(later.replies.at(-1)).toBe('cancel run-1: accepted');
    expect(endOf(later)).toMatchObject({ reason: 'cancelled', report: { applied: 1 } });
  });
});

describe('a killed run', () => {
  it('is over at once; what becomes of its calls amends the report', () => {
    const plan = planOf(step('a', 'verifiable'), step('b', 'verifiable'));
    const lane = new LaneHarness().seat().submit(plan).claims('run-1/a/0').ask('KillRun');
    expect(endOf(lane)).toMatchObject({ cause: { kind: 'kill' }, report: { totals: { running: 2 } } });
    expect(lane.closes).toEqual(['run-1/b/0']);
    lane.closed('run-1/b/0').say('AttemptSucceeded');
    const amended = lane.events().findLast(({ event }) => event.type === 'ReportAmended')?.event.data;
    expect(amended).toMatchObject({ report: { applied: 1, absent: [{ stepId: 'b' }], running: [] } });
    expect(lane.run().status).toBe('ended');
  });

  it.each([
    ['is killed', (lane: LaneHarness) => lane.ask('KillRun')],
    ['takes too long', (lane: LaneHarness) => lane.tick(500)],
  ])('names who is at what is still running: it %s', (_, ends) => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'verifiable'), step('b', 'verifiable')), {
      deadlineMs: 500,
    });
    ends(lane.claims('run-1/a/0'));
    expect(endOf(lane)?.report.running).toMatchObject([
      { stepId: 'a', note: 'held by session S' },
      { stepId: 'b', note: 'nobody is known to have begun it' },
    ]);
  });

  it('has its report amended once for all that is settled at the same moment', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 100 }) };
    const steps = Array.from({ length: 80 }, (_, index) => step(`s${index}`, 'verifiable'));
    lane
      .seat()
      .submit(planOf(...steps))
      .ask('KillRun');
    lane.give({
      type: 'ClaimsKnown',
      claims: steps.map(({ id }) => [`run-1/${id}/0`, { kind: 'closed', offset: 2 }]),
    });
    const amended = lane.events().flatMap(({ event }) => (event.type === 'ReportAmended' ? [event.data] : []));
    expect(amended).toMatchObject([{ change: 'absent, and 79 more', report: { totals: { absent: 80, running: 0 } } }]);
    expect(lane.run().status).toBe('ended');
  });

  it('has its report amended before an answer that leaves nothing to settle', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'verifiable'), step('b', 'verifiable')));
    lane.claims('run-1/a/0').ask('KillRun').closed('run-1/b/0').say('AttemptSucceeded', { step: 'b' });
    const [question] = Object.values(lane.questions());
    lane.arrive(
      { kind: 'journal', word: word('AttemptSucceeded') },
      asked(decision(question ?? -1, 'acknowledge', { requestId: 'seen' })),
    );
    expect(since(lane, 'EscalationOpened b')).toEqual(['StepSucceeded a', 'ReportAmended a', 'EscalationAnswered b']);
    expect(lane.run().status).toBe('ended');
  });

  it('is asked about again in vain: the same request is answered alike, another one changes nothing', () => {
    const lane = running().ask('KillRun', { requestId: 'k' }).ask('KillRun', { requestId: 'k' }).ask('KillRun');
    expect(lane.replies.slice(1)).toEqual(['k: accepted', 'k: accepted', 'KillRun 3: run_ended']);
  });
});

describe('a steered run', () => {
  const eachOf = (window: number) => planOf({ ...forEach('each', [1, 2, 3, 4], step('a', 'pure')), window });

  it('has more items under way at once, or fewer as they end', () => {
    const lane = new LaneHarness()
      .seat()
      .submit(eachOf(1))
      .ask('SteerRun', { windows: { each: 3 } });
    expect(lane.commands).toHaveLength(3);
    lane.ask('SteerRun', { windows: { each: 1 } });
    lane.say('AttemptSucceeded', { step: 'each[0].a' }).say('AttemptSucceeded', { step: 'each[1].a' });
    expect(lane.commands).toHaveLength(3);
    lane.say('AttemptSucceeded', { step: 'each[2].a' });
    expect(lane.commands).toHaveLength(4);
  });

  it('ends by its new deadline', () => {
    const lane = running().ask('SteerRun', { deadlineMs: 3_000 }).tick(2_999);
    expect(lane.told).not.toContain('RunEnded');
    expect(endOf(lane.tick(1))?.reason).toBe('deadline_exceeded');
  });

  it('is the run that was submitted: the same content again changes nothing', () => {
    const lane = new LaneHarness();
    lane.catalogue = catalogueOf(tool('pure'));
    lane
      .seat()
      .submit(eachOf(1))
      .ask('SteerRun', { windows: { each: 3 } })
      .submit(eachOf(1), { requestId: 'other' });
    expect(lane.replies.at(-1)).toBe('other: unchanged');
  });
});
