import { DEFAULTS, LIMITS } from '@holdfast/events';
import type { Json, Plan } from '@holdfast/programs';
import { T0 } from '../../../../test/support/clock.js';
import { forEach, planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { inner, withOutput, play, endOf, told, failureOf } from '../../../../test/support/playing-children.js';

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
