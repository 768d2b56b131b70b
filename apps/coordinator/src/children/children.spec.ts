import type { LaneRequest } from '@holdfast/contracts';
import { DEFAULTS, LIMITS, type HistoryEvent } from '@holdfast/events';
import type { Json, Plan } from '@holdfast/programs';
import { T0 } from '../../../../test/support/clock.js';
import { asked } from '../../../../test/support/lane-harness.js';
import { heard, request } from '../../../../test/support/messages.js';
import { forEach, planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';

const inner = planOf(step('x', 'verifiable'));
const withOutput: Plan = { ...inner, output: { said: { $from: 'steps.x' }, told: { $from: 'input.word' } } };

const play = (plan: Plan, runId = 'p') => new SeveralLanes(3).submit(plan, { runId, input: { word: 'hi' } }).calm();
type End = Extract<HistoryEvent, { type: 'RunEnded' }>['data'];
const endOf = (lanes: SeveralLanes, runId: string): End | undefined => {
  const events = lanes.at(runId).events();
  const end = events.find(({ event, subject }) => event.type === 'RunEnded' && subject === runId)?.event;
  return end?.type === 'RunEnded' ? end.data : undefined;
};
const told = (lanes: SeveralLanes, runId: string): readonly string[] =>
  lanes
    .at(runId)
    .events()
    .flatMap(({ event, subject }) => (subject === runId ? [event.type] : []));
const failureOf = (lanes: SeveralLanes, runId: string): string | undefined => {
  const events = lanes.at(runId).events();
  const failed = events.find(({ event, subject }) => event.type === 'StepFailed' && subject === runId)?.event;
  return failed?.type === 'StepFailed' ? failed.data.failure.code : undefined;
};

describe('a step that begins a run', () => {
  it('has the output of that run as its result', () => {
    const plan: Plan = {
      ...planOf(runOf('a', withOutput as unknown as Json, { input: { word: { $from: 'input.word' } } })),
      output: { $from: 'steps.a' },
    };
    const lanes = play(plan);
    expect(lanes.live('p~a')?.parent).toMatchObject({ runId: 'p', stepId: 'a', depth: 1, detached: false });
    lanes.work('p~a', 'found').calm();
    expect(endOf(lanes, 'p')).toMatchObject({ reason: 'succeeded', output: { said: 'found', told: 'hi' } });
    expect(told(lanes, 'p')).toEqual(['RunAccepted', 'ChildStarted', 'ChildAccepted', 'ChildEnded', 'RunEnded']);
  });

  it('is left over several batches where very many wait for the same run', () => {
    const steps = Array.from({ length: 250 }, (_, index) => runOf(`a${index}`, inner, { runId: 'c', waitMs: 1_000 }));
    const lanes = play(planOf(...steps))
      .tick(1_000)
      .calm();
    const left = lanes
      .at('p')
      .events()
      .flatMap(({ event, lane }) => (event.type === 'ChildLeft' ? [lane.first] : []));
    expect([left.length, new Set(left).size]).toEqual([250, 2]);
  });

  it('fails for good when that run does not succeed', () => {
    const lanes = play(planOf(runOf('a', inner)));
    lanes.cancel('p~a').calm().tick(1_000).calm();
    expect(endOf(lanes, 'p')).toMatchObject({ reason: 'failed' });
    expect(endOf(lanes, 'p~a')).toMatchObject({ reason: 'cancelled', parent: { runId: 'p', stepId: 'a' } });
  });

  it('fails where silence would be an answer in that run: what is done with its result may not be undone', () => {
    const ask = { question: 'Pay?', choices: ['yes', 'no'], onSilence: { answer: 'yes' } };
    const silent = planOf({ id: 'e', forEach: [0], steps: [{ id: 'q', ask }] });
    const lanes = play(planOf(runOf('a', silent), step('b', 'verifiable', { after: ['a'] })));
    expect(lanes.run('p~a')).toBeUndefined();
    expect(endOf(lanes, 'p')).toMatchObject({ reason: 'failed' });
    expect(endOf(lanes, 'p')?.detail).toContain('silence cannot be an answer here: another run has begun this one');
  });

  it('fails when that run is refused, and says why', () => {
    const lanes = play(planOf(runOf('a', { $from: 'input' })));
    const ended = lanes
      .at('p')
      .events()
      .find(({ event }) => event.type === 'ChildEnded')?.event;
    expect(ended?.data).toMatchObject({ reason: 'refused', detail: expect.stringContaining('invalid_program') });
    expect(endOf(lanes, 'p')?.reason).toBe('failed');
  });

  it('never takes another run of that id for its child', () => {
    const lanes = new SeveralLanes(3).submit(inner, { runId: 'p~a' }).calm();
    lanes.submit(planOf(runOf('a', inner)), { runId: 'p' }).calm();
    expect(endOf(lanes, 'p')?.reason).toBe('failed');
    expect(lanes.live('p~a')?.cancel).toBeNull();
  });

  it('may be one of many, by item', () => {
    const lanes = play(planOf(forEach('each', [1, 2, 3], runOf('a', inner))));
    for (const index of [0, 1, 2]) lanes.work(`p~each[${index}].a`);
    lanes.calm();
    expect(endOf(lanes, 'p')?.reason).toBe('succeeded');
  });

  it('can be no deeper than runs may be', () => {
    const deep = Array.from({ length: LIMITS.depthMax + 1 }).reduce<Plan>(
      (plan) => ({
        ...planOf(runOf('a', plan as unknown as Json)),
        budget: { children: Number(plan.budget?.children ?? 0) + 2 },
      }),
      inner,
    );
    const lanes = play(deep);
    const deepest = `p${'~a'.repeat(LIMITS.depthMax)}`;
    expect(failureOf(lanes, deepest)).toBe('too_deep');
    expect(endOf(lanes, 'p')?.reason).toBe('failed');
  });

  it.each([['a b'], [''], ['p']])('does not begin a run that cannot be named %j', (runId) => {
    const lanes = play(planOf(runOf('a', inner, { runId })));
    expect(failureOf(lanes, 'p')).toBe('bad_run_id');
  });
});

describe('a step that waits for a while', () => {
  const plan: Plan = { ...planOf(runOf('a', inner, { waitMs: 500 })), output: { $from: 'steps.a' } };

  it('succeeds with the word that the run goes on, and the run that began it waits for it to end', () => {
    const lanes = play(plan).tick(500);
    expect(told(lanes, 'p')).toContain('ChildLeft');
    expect(endOf(lanes, 'p')).toBeUndefined();
    lanes.work('p~a').calm();
    expect(endOf(lanes, 'p')).toMatchObject({ reason: 'succeeded', output: { runId: 'p~a', status: 'running' } });
  });

  it('does not say so before the run has begun', () => {
    const lanes = new SeveralLanes(3).submit(plan, { runId: 'p' }).tick(10_000);
    expect(told(lanes, 'p')).toEqual(['RunAccepted', 'ChildStarted']);
    lanes.calm().tick();
    expect(told(lanes, 'p')).toContain('ChildLeft');
  });
});

describe('a child that may take longer than any run does unasked', () => {
  it('may take as long as its step says, or as any run does', () => {
    const long = { deadlineMs: 3 * DEFAULTS.runMs };
    const lanes = new SeveralLanes(3);
    lanes.submit(planOf(runOf('a', inner, long), runOf('b', inner)), { runId: 'p', deadlineMs: 9 * DEFAULTS.runMs });
    lanes.calm();
    const { settings } = lanes.at('p').machine.setting;
    expect(lanes.live('p~a')?.deadlineAt).toBe(T0 + 3 * DEFAULTS.runMs);
    expect(lanes.live('p~b')?.deadlineAt).toBe(T0 + settings.runMs);
  });
});

describe('a child whose input has too many levels', () => {
  it('is not asked for: the step fails', () => {
    const deep: Json = JSON.parse(`${'['.repeat(70)}1${']'.repeat(70)}`);
    const wrapped = Array.from({ length: 20 }).reduce<Json>((of) => ({ of }), { $from: 'input.deep' });
    const lanes = new SeveralLanes(3);
    lanes.submit(planOf(runOf('a', inner, { input: wrapped })), { runId: 'p', input: { deep } }).calm();
    expect(endOf(lanes, 'p')?.detail).toContain('child_too_deep');
  });
});

describe('a child of a run whose id is cut', () => {
  it('has an id that can be read back', () => {
    const runId = `${'a'.repeat(99)}\u{1F600}${'b'.repeat(97)}`;
    const lanes = play(planOf(runOf('a', inner)), runId);
    const child = lanes.live(runId)?.children[0]?.childRunId ?? '';
    lanes.crash(lanes.laneOf(runId)).work(child).calm();
    expect(endOf(lanes, runId)?.reason).toBe('succeeded');
  });
});

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
