import type { LaneRequest } from '@holdfast/contracts';
import { DEFAULTS, LIMITS } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { T0 } from '../../../../test/support/clock.js';
import { asked } from '../../../../test/support/lane-harness.js';
import { heard, request } from '../../../../test/support/messages.js';
import { planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { inner, play, endOf, told } from '../../../../test/support/playing-children.js';

describe('a run that is stopped', () => {
  const tree = planOf(runOf('a', planOf(runOf('b', inner) as never) as unknown as Json));

  it('takes its children along, down the tree, under one deadline', () => {
    const lanes = play(tree);
    lanes.at('p~a~b').claims('p~a~b/x/0', 'S', T0 + 60_000);
    lanes.cancel('p', 2_000).calm();
    expect(lanes.live('p~a~b')?.cancel?.deadlineAt).toBe(T0 + 2_000);
    expect(endOf(lanes, 'p')).toBeUndefined();
    lanes.tick(2_000).calm();
    for (const runId of ['p', 'p~a', 'p~a~b']) expect(endOf(lanes, runId)?.reason).toBe('cancelled');
  });

  it('hears how its children have ended, since each ends a little before the run that began it', () => {
    const lanes = new SeveralLanes(3, {}, undefined, { endLeadMs: 500 }).submit(tree, { runId: 'p' }).calm();
    lanes.at('p~a~b').claims('p~a~b/x/0', 'S', T0 + 60_000);
    lanes.cancel('p', 5_000).calm();
    expect(endOf(lanes.tick(3_499).calm(), 'p~a~b')).toBeUndefined();
    lanes.tick(1).calm();
    for (const runId of ['p', 'p~a', 'p~a~b']) expect(endOf(lanes, runId)?.reason).toBe('cancelled');
    expect(endOf(lanes, 'p')?.children).toBeUndefined();
  });

  it('lets finish what its children have begun where it is drained itself', () => {
    const lanes = play(tree);
    lanes.at('p~a~b').claims('p~a~b/x/0', 'S', T0 + 60_000);
    const drain = { requestId: 'drain', runId: 'p', mode: 'drain', withinMs: 5_000 } as const;
    lanes.ask(request('CancelRun', drain)).calm();
    expect(['p', 'p~a', 'p~a~b'].map((runId) => lanes.live(runId)?.cancel?.mode)).toEqual(['drain', 'drain', 'drain']);
  });

  it('leaves its children half of the time that is left, where that is little', () => {
    const lanes = new SeveralLanes(3, {}, undefined, { endLeadMs: 500 }).submit(tree, { runId: 'p' }).calm();
    lanes.cancel('p', 700).calm();
    expect(lanes.live('p~a')?.cancel?.deadlineAt).toBe(T0 + 600);
    expect(lanes.live('p~a~b')?.cancel?.deadlineAt).toBe(T0 + 550);
  });

  it('takes in what a child has used that ends after it, while something of its own is in doubt', () => {
    const plan = planOf(runOf('a', inner), step('x', 'verifiable'));
    const lanes = new SeveralLanes(3).submit(plan, { runId: 'p', budget: { effects: 10 } }).calm();
    lanes.say('p', 'AttemptUnknown').ask(request('KillRun', { requestId: 'kill', runId: 'p' }));
    expect(lanes.live('p')?.spent['effects']).toBeGreaterThan(1);
    lanes.calm().at('p~a').closed('p~a/x/0');
    lanes.calm();
    expect(endOf(lanes, 'p~a')?.reason).toBe('cancelled');
    expect(lanes.live('p')).toMatchObject({ status: 'closing', children: [], spent: { effects: 1, children: 1 } });
    expect(told(lanes, 'p').slice(-2)).toEqual(['ChildEnded', 'ReportAmended']);
  });

  it('and is killed does not wait for them: they are cancelled under the usual bound', () => {
    const lanes = play(tree).ask(request('KillRun', { requestId: 'kill', runId: 'p' }));
    expect(endOf(lanes, 'p')).toMatchObject({ cause: { kind: 'kill' }, children: [{ runId: 'p~a' }] });
    lanes.calm().tick(5_000).calm();
    for (const runId of ['p~a', 'p~a~b']) expect(endOf(lanes, runId)?.reason).toBe('cancelled');
  });

  it('and is paused begins none, and those that it has begun go on', () => {
    const two = planOf(runOf('a', inner), { ...runOf('b', inner), after: ['a'] });
    const lanes = play(two).ask(request('PauseRun', { requestId: 'pause', runId: 'p' }));
    lanes.work('p~a').calm();
    expect(endOf(lanes, 'p~a')?.reason).toBe('succeeded');
    expect(told(lanes, 'p').filter((type) => type === 'ChildStarted')).toHaveLength(1);
    lanes.ask(request('ResumeRun', { requestId: 'resume', runId: 'p' })).calm();
    expect(told(lanes, 'p').filter((type) => type === 'ChildStarted')).toHaveLength(2);
  });

  it('takes along children that were cancelled before, with more time', () => {
    const lanes = play(tree);
    lanes.at('p~a~b').claims('p~a~b/x/0', 'S', T0 + 60_000);
    lanes.cancel('p~a', 50_000).calm().cancel('p', 2_000).calm().tick(2_000).calm();
    for (const runId of ['p', 'p~a', 'p~a~b']) expect(endOf(lanes, runId)?.reason).toBe('cancelled');
  });

  it('gives a child that is being cancelled less time, and nothing else', () => {
    const lanes = play(tree);
    lanes.at('p~a~b').claims('p~a~b/x/0', 'S', T0 + 60_000);
    const first = {
      requestId: 'c',
      runId: 'p~a',
      reason: 'ours',
      mode: 'drain',
      compensate: true,
      withinMs: 50_000,
    } as const;
    lanes.ask(request('CancelRun', first)).calm().cancel('p', 2_000).calm();
    const { withinMs: _, runId: __, ...same } = first;
    expect(lanes.live('p~a')?.cancel).toMatchObject({ ...same, deadlineAt: T0 + 2_000 });
    lanes.tick(2_000).calm();
    expect(endOf(lanes, 'p~a')?.cause).toMatchObject({ detail: 'ours', requestId: 'c' });
    const modes = lanes
      .at('p~a')
      .reactions.flatMap((told) => (told.kind === 'abort' && told.runId === 'p~a' ? [told.mode] : []));
    expect(modes).toEqual(['drain', 'drain', 'abort']);
  });

  it('leaves a run that is being replaced its reason when the run that began it is cancelled', () => {
    const lanes = play(planOf(runOf('a', inner)));
    const ticket = lanes.live('p~a')?.runKey ?? '';
    const why = { requestId: 's', runId: 'p~a', key: 'k', ticket, by: 'newer' };
    lanes.at('p~a').claims('p~a/x/0', 'S', T0 + 60_000);
    const arrived = heard({ type: 'SupersedeRun', data: why } as LaneRequest);
    lanes.put(lanes.laneOf('p~a'), asked(arrived, lanes.clock.now)).calm();
    expect(lanes.live('p~a')?.cancel?.as).toBe('superseded');
    lanes.cancel('p', 2_000).calm().tick(2_000).calm();
    expect(endOf(lanes, 'p~a')?.reason).toBe('superseded');
  });

  it('is over as soon as they are', () => {
    const lanes = play(tree).cancel('p', 20_000).calm();
    lanes.at('p~a~b').closed('p~a~b/x/0');
    lanes.calm();
    expect(endOf(lanes, 'p')?.reason).toBe('cancelled');
  });

  it('is over by its deadline when a lane says nothing, and names what was not over', () => {
    const lanes = play(tree).cancel('p', 2_000).tick(2_000);
    expect(endOf(lanes, 'p')).toMatchObject({ reason: 'cancelled', children: [{ runId: 'p~a', detached: false }] });
  });

  it.each([
    ['the cancel comes first', true],
    ['the submission comes first', false],
  ])('leaves no child behind that is born at the same time: %s', (_, cancelFirst) => {
    const lanes = new SeveralLanes(3).submit(planOf(runOf('a', inner)), { runId: 'p' }).cancel('p', 1_000);
    while (lanes.tell(lanes.laneOf('p')));
    expect(lanes.transit.map(({ request }) => request.type)).toEqual(['SubmitRun', 'CancelRun']);
    lanes.deliver(cancelFirst ? 1 : 0).calm();
    lanes.at('p~a').closed('p~a/x/0');
    lanes.calm();
    expect(endOf(lanes, 'p~a')?.reason).toBe('cancelled');
    expect(lanes.at('p~a').commands.length).toBeLessThanOrEqual(cancelFirst ? 0 : 1);
  });

  it('leaves no child behind that is born when nobody remembers the cancel any more', () => {
    const lanes = new SeveralLanes(3).submit(planOf(runOf('a', inner)), { runId: 'p' }).cancel('p', 1_000);
    while (lanes.tell(lanes.laneOf('p')));
    lanes.deliver(1).tick(DEFAULTS.cancelMemoryMs).calm();
    expect(lanes.run('p~a')).toBeUndefined();
  });

  it('leaves no child behind where others have filled the memory for cancels that come early', () => {
    const limits: { cancelsRememberedMax: number } = LIMITS;
    const max = limits.cancelsRememberedMax;
    limits.cancelsRememberedMax = 3;
    try {
      const lanes = new SeveralLanes(1);
      for (let nth = 0; nth < 4; nth += 1) lanes.cancel(`bogus-${nth}`);
      lanes.submit(planOf(runOf('a', inner)), { runId: 'p' }).cancel('p', 1_000);
      while (lanes.tell(0));
      lanes.deliver(lanes.transit.findIndex(({ request: { type } }) => type === 'CancelRun'));
      lanes.tick(1_000).calm();
      expect([lanes.run('p')?.end?.reason, lanes.run('p~a')?.end?.reason]).toEqual(['cancelled', 'cancelled']);
    } finally {
      limits.cancelsRememberedMax = max;
    }
  });

  it('takes along a child that was to be cancelled before it came, with more time', () => {
    const lanes = new SeveralLanes(3).cancel('p~a', 50_000);
    lanes.submit(planOf(runOf('a', inner)), { runId: 'p' }).cancel('p', 1_000);
    while (lanes.tell(lanes.laneOf('p')));
    lanes.deliver(1).deliver(0);
    const cancelled = lanes
      .at('p~a')
      .events()
      .find(({ event, subject }) => event.type === 'CancelRequested' && subject === 'p~a');
    expect(cancelled?.event.data).toMatchObject({ deadlineAt: T0 + 1_000 });
  });

  it('tells a child that begins all the same once more', () => {
    const lanes = new SeveralLanes(3).submit(planOf(runOf('a', inner)), { runId: 'p' }).cancel('p', 1_000);
    while (lanes.tell(lanes.laneOf('p')));
    // Nobody remembers the cancel.
    lanes.transit.pop();
    lanes.calm().at('p~a').closed('p~a/x/0');
    expect(lanes.calm().run('p~a')?.end?.reason).toBe('cancelled');
  });

  it('leaves detached children alone, and does not wait for them', () => {
    const lanes = play(planOf(runOf('a', inner, { detached: true })))
      .cancel('p', 1_000)
      .calm();
    expect(endOf(lanes, 'p')).toMatchObject({ reason: 'cancelled', children: [{ runId: 'p~a', detached: true }] });
    lanes.work('p~a').calm();
    expect(endOf(lanes, 'p~a')?.reason).toBe('succeeded');
  });

  it('by a step that fails takes its children along as well', () => {
    const lanes = play(planOf(runOf('a', inner), runOf('b', { $from: 'input' })));
    expect(lanes.live('p~a')?.cancel?.reason).toContain('has failed');
    expect(endOf(lanes, 'p')).toBeUndefined();
    lanes.at('p~a').closed('p~a/x/0');
    lanes.calm();
    expect(endOf(lanes, 'p')?.reason).toBe('failed');
  });

  it('by its deadline ends no later than its children', () => {
    const lanes = new SeveralLanes(3).submit(tree, { runId: 'p', deadlineMs: 5_000 }).calm();
    lanes.tick(5_000).calm();
    for (const runId of ['p', 'p~a', 'p~a~b']) expect(endOf(lanes, runId)?.reason).toBe('deadline_exceeded');
  });
});
