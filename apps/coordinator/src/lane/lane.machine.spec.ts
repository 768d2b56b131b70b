import { request } from '../../../../test/support/messages.js';
import { T0 } from '../../../../test/support/clock.js';
import { asked, LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { forEach, planOf, step } from '../../../../test/support/plans.js';

const one = (policy: string) => planOf(step('a', policy));

describe('a run on a lane', () => {
  it('goes from its submission to its end', () => {
    const plan = planOf(step('a', 'verifiable'), step('b', 'pure', { after: ['a'] }));
    const lane = new LaneHarness().seat().submit(plan);
    expect(lane.commands).toEqual(['run-1/a/0']);
    lane.claims('run-1/a/0').say('AttemptSucceeded').say('AttemptSucceeded', { step: 'b' });
    expect(lane.told.filter((name) => name !== 'LaneAdvanced')).toEqual([
      'LaneAcquired',
      'RunAccepted',
      'StepScheduled a',
      'StepSucceeded a',
      'StepScheduled b',
      'StepSucceeded b',
      'RunEnded',
    ]);
    expect(lane.run().status).toBe('ended');
  });
});

describe('inputs without consequence', () => {
  it('hold nothing up that comes behind them, however large they are', () => {
    const pass = (next: number, bytes: number) => ({ topic: 'journal', next, bytes, work: { kind: 'pass' } }) as const;
    const lane = new LaneHarness().seat();
    lane.give({ type: 'Arrived', term: lane.machine.term, arrivals: [pass(1, 10), pass(2, 1_000_000), pass(3, 10)] });
    lane.submit(one('pure'));
    expect(lane.told).toContain('RunAccepted');
    expect(lane.machine.inbox).toEqual([]);
  });
});

describe('an append without an answer', () => {
  it('is repeated with the same bytes until it is seen, and decided once', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat().answer().submit(one('pure'));
    const first = lane.pending[0]?.values;
    lane.answer('lost').submit(one('pure'), { runId: 'run-2' });
    expect(lane.pending[0]?.values).toEqual(first);
    lane.answer().answer();
    expect(lane.told.filter((name) => name === 'RunAccepted')).toHaveLength(2);
    expect(lane.commands).toEqual(['run-1/a/0', 'run-2/a/0']);
  });

  it('may land all the same: the copy that follows is a repeat', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat().answer().submit(one('pure')).answer('answer_lost').answer();
    expect(lane.machine.lane.counts.repeated).toBe(3);
    expect(lane.commands).toEqual(['run-1/a/0']);
    expect(lane.machine.flight).toBeNull();
  });

  it('may land late, after the copy and after more', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat().answer().submit(one('verifiable'));
    const late = lane.pending[0]?.values ?? [];
    lane.answer('lost').answer();
    lane.history.append(late);
    lane.cancel().answer();
    expect(lane.stopped).toBeNull();
    expect(lane.machine.phase).toBe('leading');
    expect(lane.live().status).toBe('cancelling');
  });

  it('remembers what it has to tell once, also when it was read and not answered', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.reacts = false;
    lane.seat().answer().submit(one('pure')).answer('answer_lost').answer();
    const seqs = lane.machine.unreacted.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)]);
  });
});

describe('taking a lane', () => {
  it('tries again when a late batch of the former owner came first', () => {
    const former = new LaneHarness().seat();
    const next = new LaneHarness({ owner: 'C2', history: former.history });
    next.holdsAppends = true;
    next.seat();
    former.submit(one('pure'));
    next.answer().answer();
    expect(next.machine.phase).toBe('leading');
    expect(next.machine.lane.epoch).toBe(2);
  });

  it('ends the office of the former owner, whose inputs are dropped and followed again from history', () => {
    const former = new LaneHarness().seat().submit(one('verifiable'));
    new LaneHarness({ owner: 'C2', history: former.history }).seat();
    former.holdsAppends = true;
    former.say('AttemptStarted').cancel();
    const term = former.machine.term;
    former.answer();
    expect(former.machine.phase).toBe('acquiring');
    expect(former.machine.term).toBeGreaterThan(term);
    expect(former.machine.inbox).toEqual([]);
    former.answer();
    const follow = former.outputs.findLast((output) => output.type === 'FollowInputs');
    expect(follow).toMatchObject({ positions: { requests: 1 } });
  });

  it('survives a record that asked for the same epoch at another moment and lands late', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat();
    const late = lane.pending[0]?.values ?? [];
    lane.unseat().tick(5);
    lane.seat();
    lane.pending.shift();
    lane.answer();
    expect(lane.machine.phase).toBe('leading');
    lane.history.append(late);
    lane.submit(one('pure')).answer();
    expect(lane.stopped).toBeNull();
    expect(lane.commands).toEqual(['run-1/a/0']);
  });

  it('ignores the answer to a read that was given up', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat();
    lane.give({ type: 'HistoryRead', records: [], next: 0, end: 0 });
    expect(lane.pending).toHaveLength(1);
  });

  it('derives closes and watches again', () => {
    const former = new LaneHarness().seat().submit(one('verifiable')).cancel();
    expect(former.closes).toEqual(['run-1/a/0']);
    const next = new LaneHarness({ owner: 'C2', history: former.history }).seat();
    expect(next.closes).toEqual(['run-1/a/0']);
    expect([...next.watched]).toEqual(['run-1/a/0']);
  });

  it('publishes commands only for attempts that are still open', () => {
    const former = new LaneHarness();
    former.reacts = false;
    former
      .seat()
      .submit(planOf(step('a', 'pure'), step('b', 'pure')))
      .say('AttemptSucceeded');
    const next = new LaneHarness({ owner: 'C2', history: former.history }).seat();
    expect(next.commands).toEqual(['run-1/b/0']);
  });
});

describe('time', () => {
  it('is not missed while a batch is under way', () => {
    const retry = { backoffMs: 1, triesMax: 3 };
    const lane = new LaneHarness()
      .seat()
      .submit(planOf(step('a', 'verifiable', { retry })))
      .claims('run-1/a/0');
    lane.holdsAppends = true;
    lane.say('AttemptFailed');
    lane.clock.forward(50);
    lane.answer();
    lane.holdsAppends = false;
    lane.tick();
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
  });

  it('is not missed when something else is looked at first', () => {
    const retry = { backoffMs: 10, triesMax: 3 };
    const plan = planOf(step('a', 'verifiable', { retry }), step('b', 'verifiable'));
    const lane = new LaneHarness().seat().submit(plan).claims('run-1/a/0').say('AttemptFailed');
    lane.clock.forward(50);
    lane.say('AttemptRefused', { step: 'b' }).tick();
    expect(lane.commands).toContain('run-1/a/1');
  });

  it('ends a cancelled run at its deadline, however short', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable')).claims('run-1/a/0');
    lane.holdsAppends = true;
    lane.cancel('run-1', 1);
    lane.clock.forward(20);
    lane.answer();
    lane.holdsAppends = false;
    lane.tick();
    expect(lane.told).toContain('RunEnded');
  });

  it('ends a cancelled run early enough that its end is history by its deadline', () => {
    const lane = new LaneHarness({ settings: { endLeadMs: 250 } }).seat().submit(one('verifiable'));
    lane.claims('run-1/a/0').cancel('run-1', 1_000).tick(740);
    expect(lane.told).not.toContain('RunEnded');
    lane.holdsAppends = true;
    lane.tick(10).clock.forward(200);
    lane.answer();
    expect(lane.live()).toMatchObject({ end: { reason: 'cancelled' }, cancel: { deadlineAt: lane.clock.now + 50 } });
  });

  it('writes positions without consequence now and then, not at once', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable'));
    const before = lane.history.values.length;
    lane.say('AttemptStarted').say('AttemptStarted');
    expect(lane.history.values).toHaveLength(before);
    lane.tick(5_000);
    expect(lane.machine.lane.positions).toMatchObject({ journal: 2 });
    expect(lane.machine.inbox).toEqual([]);
  });
});

describe('waiting', () => {
  it('is said once for all that nobody serves', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ partitions: [] }) };
    lane.seat().submit(planOf(step('a', 'pure'), step('b', 'verifiable')));
    for (let round = 0; round < 5; round += 1) lane.tick(100).say('AttemptStarted');
    expect(lane.told.filter((name) => name === 'RunWaiting')).toHaveLength(1);
    expect(lane.live().waiting?.waitingFor).toContain('pure@1');
    expect(lane.live().waiting?.waitingFor).toContain('verifiable@1');
    lane.queues = { default: queueOf() };
    lane.tick(100);
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/b/0']);
  });

  it('keeps what is out per queue at its share, and goes on as places become free', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 1 }) };
    lane.seat().submit(planOf(forEach('each', [1, 2, 3, 4], step('a', 'pure'))));
    expect(lane.commands).toHaveLength(2);
    lane.say('AttemptSucceeded', { step: 'each[0].a' });
    expect(lane.commands).toHaveLength(3);
  });

  it('does not keep a small run behind a large one', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 1 }) };
    const items = Array.from({ length: 30 }, (_, index) => index);
    lane.seat().submit(planOf(forEach('each', items, step('a', 'pure'))), { runId: 'large' });
    lane.submit(one('pure'), { runId: 'small' });
    lane.say('AttemptSucceeded', { runId: 'large', step: 'each[0].a' });
    lane.say('AttemptSucceeded', { runId: 'large', step: 'each[1].a' });
    expect(lane.commands).toContain('small/a/0');
  });
});

describe('a decision', () => {
  it('never is larger than a batch: many refusals are answered in parts', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 30_000 } }).seat();
    lane.holdsAppends = true;
    const steps = Array.from({ length: 20 }, (_, index) => step(`s${index}`, `nobody-${'x'.repeat(40)}@1`));
    const requests = Array.from({ length: 60 }, (_, index) =>
      asked(request('SubmitRun', { requestId: `r${index}`, runId: `run-${index}`, program: planOf(...steps) })),
    );
    lane.arrive(...requests);
    while (lane.pending.length > 0) {
      expect(lane.pending[0]?.values.reduce((sum, value) => sum + value.length, 0)).toBeLessThanOrEqual(30_000);
      lane.answer();
    }
    expect(lane.stopped).toBeNull();
    expect(lane.replies).toHaveLength(60);
  });

  it('is made in parts also when a run about which there is nothing to say stands first', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 6_000 } }).seat();
    lane.submit(one('pure'), { runId: 'quiet' });
    const runs = Array.from({ length: 8 }, (_, index) => `run-${index}`);
    for (const runId of runs) {
      lane.submit(planOf(step('a', 'verifiable'), step('b', 'verifiable')), { runId });
      lane.claims(`${runId}/a/0`).claims(`${runId}/b/0`);
    }
    lane.dies();
    expect(lane.stopped).toBeNull();
    expect(lane.told.filter((name) => name.startsWith('DoubtOpened'))).toHaveLength(16);
  });

  it('judges the very many attempts of a lost session over several batches', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 500 }) };
    const items = Array.from({ length: 300 }, (_, index) => index);
    const all = { id: 'each', forEach: items, window: 300, steps: [step('a', 'repeatable')] };
    lane.proves = false;
    lane.seat().submit(planOf(all));
    expect(lane.commands).toHaveLength(300);
    lane.give({
      type: 'ClaimsKnown',
      claims: items.map((index) => [
        `run-1/each[${index}].a/0`,
        { kind: 'claimed', session: 'S', deadline: T0 + 1_000, offset: index },
      ]),
    });
    lane.dies();
    expect(lane.told.filter((name) => name.startsWith('DoubtOpened'))).toHaveLength(300);
    expect(lane.commands).toHaveLength(600);
  });
});

describe('questions to people', () => {
  it('are put over several batches when very many are due together', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 160_000 } });
    lane.queues = { default: queueOf({ slots: 500 }) };
    const items = Array.from({ length: 300 }, (_, index) => index);
    const all = { id: 'each', forEach: items, window: 300, steps: [step('a', 'unprotected')] };
    lane.proves = false;
    lane.seat().submit(planOf(all));
    lane.give({
      type: 'ClaimsKnown',
      claims: items.map((index) => [
        `run-1/each[${index}].a/0`,
        { kind: 'claimed', session: 'S', deadline: T0 + 1_000, offset: index },
      ]),
    });
    lane.dies().tick(5_000).tick();
    expect(lane.stopped).toBeNull();
    expect(lane.told.filter((name) => name.startsWith('EscalationOpened'))).toHaveLength(300);
  });
});

describe('a lost session', () => {
  it('whose word may wait far back in the inbox is judged once the inbox has been worked off', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable')).claims('run-1/a/0');
    lane.holdsAppends = true;
    lane.arrive(...Array.from({ length: 600 }, () => ({ kind: 'pass' }) as const)).dies();
    while (lane.pending.length > 0) lane.answer();
    expect(lane.told).toContain('DoubtOpened a');
  });
});

describe('a request', () => {
  it('that comes again is answered again and changes nothing', () => {
    const lane = new LaneHarness().seat().submit(one('pure')).submit(one('pure'));
    expect(lane.replies).toEqual(['submit run-1: accepted', 'submit run-1: accepted']);
    expect(lane.told.filter((name) => name === 'RunAccepted')).toHaveLength(1);
  });

  it('is known within its run: another run may use the same request id', () => {
    const lane = new LaneHarness().seat();
    lane.submit(one('pure'), { requestId: 'r' }).submit(one('pure'), { requestId: 'r', runId: 'run-2' });
    expect(lane.told.filter((name) => name === 'RunAccepted')).toHaveLength(2);
  });

  it('under an id that was used for something else is refused, never taken for a repeat', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable'), { requestId: 'r' });
    lane.arrive(asked(request('CancelRun', { requestId: 'r', runId: 'run-1' })));
    expect(lane.replies).toEqual(['r: accepted', 'r: invalid_request']);
  });

  it('older than requests are remembered is refused', () => {
    const lane = new LaneHarness().seat();
    const late = request('SubmitRun', { requestId: 'r', runId: 'run-1', program: one('pure') });
    lane.arrive(asked(late, T0 - 8 * 86_400_000));
    expect(lane.replies).toEqual(['r: too_old']);
  });

  it('for a run id that belongs to another run is refused', () => {
    const lane = new LaneHarness().seat().submit(one('pure')).submit(one('verifiable'), { requestId: 'other' });
    expect(lane.replies).toEqual(['submit run-1: accepted', 'other: run_id_taken']);
  });

  it('larger than one decision is refused', () => {
    const lane = new LaneHarness().seat().submit(one('pure'), { input: { text: 'x'.repeat(300_000) } });
    lane.submit(planOf(step('a', 'pure', { args: { text: 'x'.repeat(600_000) } })), { runId: 'run-2' });
    expect(lane.replies).toEqual(['submit run-1: too_large', 'submit run-2: too_large']);
  });
});

describe('a lane that serves many runs', () => {
  it('remembers of settled runs only that they were there', () => {
    const lane = new LaneHarness();
    lane.proves = false;
    lane.seat();
    for (let index = 0; index < 200; index += 1) {
      const runId = `run-${index}`;
      lane.submit(one('verifiable'), { runId }).claims(`${runId}/a/0`).say('AttemptRefused', { runId });
      lane.say('AttemptSucceeded', { runId }).say('AttemptRefused', { runId });
    }
    const { live, dirty, starved, firsts, refused, closing, unreacted, outstanding, inbox } = lane.machine;
    expect([live, dirty, starved, firsts, refused, closing, outstanding].map(({ size }) => size)).toEqual(
      Array.from({ length: 7 }, () => 0),
    );
    expect(unreacted).toEqual([]);
    expect(inbox.length).toBeLessThan(300);
    expect(lane.watched.size).toBe(0);
  });
});
