import { planFork, type ForkWish } from '@holdfast/events';
import { forkSubmission, ForkRefused } from '@holdfast/sdk';
import type { PlanNode } from '@holdfast/programs';
import { request } from '../../../../test/support/messages.js';
import { forEach, planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { undoableTools } from '../../../../test/support/tools.js';

const after = (id: string, tool: string, ...ids: string[]) => step(id, tool, { after: ids });
const begun = (...nodes: readonly PlanNode[]) => new SeveralLanes(2).submit(planOf(...nodes), { runId: 'old' }).calm();
const recordsOf = (lanes: SeveralLanes, runId: string) =>
  lanes
    .at(runId)
    .events()
    .filter(({ subject }) => subject === runId);
const planned = (lanes: SeveralLanes, wish: Partial<ForkWish> = {}) =>
  planFork(recordsOf(lanes, 'old'), { from: null, repeat: [], ...wish });
const forked = (lanes: SeveralLanes, wish: Partial<ForkWish> = {}) => {
  const submission = forkSubmission('old', recordsOf(lanes, 'old'), { ...wish, runId: 'new' });
  return lanes.ask(request('SubmitRun', { ...submission, requestId: 'fork' })).calm();
};
const openOf = (lanes: SeveralLanes) => lanes.live('new')?.steps.map(({ stepId }) => stepId);
const endOf = (lanes: SeveralLanes, runId: string) =>
  recordsOf(lanes, runId).findLast(({ event }) => event.type === 'RunEnded')?.event.data;
/** Everything succeeds until the step is under way, which then fails for good. */
const failing = (lanes: SeveralLanes, stepId: string): SeveralLanes => {
  for (let round = 0; round < 50 && lanes.live('old') !== undefined; round += 1) {
    const isOpen = lanes.live('old')?.steps.some((open) => open.stepId === stepId) === true;
    if (isOpen) lanes.say('old', 'AttemptFailed', { retry: 'never', effect: 'none' }).calm();
    else lanes.work('old', `result ${round}`).calm();
  }
  return lanes;
};
const chain = [step('a', 'verifiable'), after('b', 'verifiable', 'a'), after('c', 'verifiable', 'b')];

describe('a fork of a run that has failed', () => {
  it('does what has not succeeded, and nothing else', () => {
    const lanes = forked(failing(begun(...chain), 'c'));
    expect(openOf(lanes)).toEqual(['c']);
    lanes.work('new').calm();
    expect(endOf(lanes, 'new')).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
  });

  it('has the results of what it took over', () => {
    const read = { ...after('c', 'verifiable'), args: { from: { $from: 'steps.a' } } } as PlanNode;
    const lanes = forked(failing(begun(step('a', 'verifiable'), read), 'c'));
    const orders = lanes.at('new').reactions.flatMap((one) => (one.kind === 'command' ? [one.order] : []));
    expect(orders.filter(({ runId }) => runId === 'new').map(({ args }) => args)).toEqual([{ from: 'result 0' }]);
  });

  it('says in its history what it took over, and what of it may be made again', () => {
    const lanes = forked(failing(begun(...chain), 'c'), { from: 'b', repeat: ['b'] });
    expect(recordsOf(lanes, 'new')[0]?.event.data).toMatchObject({
      fork: { runId: 'old', from: 'b', repeat: ['b'], progress: { nodes: { a: { status: 'succeeded' } } } },
    });
  });

  it('is refused where an effect would be made twice that nobody has named', () => {
    const lanes = failing(begun(...chain), 'c');
    expect(planned(lanes, { from: 'b' })).toMatchObject({
      kept: ['a'],
      again: [
        { stepId: 'b', effect: 'applied', repeat: 'ask' },
        { stepId: 'c', effect: 'none', repeat: 'free' },
      ],
    });
    expect(planned(lanes, { from: 'b' }).refused).toContain('1 effect would or might be made twice: b (it was done');
    expect(() => forked(lanes, { from: 'b' })).toThrow(ForkRefused);
    expect(openOf(forked(lanes, { from: 'b', repeat: ['b'] }))).toEqual(['b']);
  });

  it('of a step without effects asks for no leave', () => {
    const lanes = failing(begun(step('a', 'pure'), after('b', 'repeatable', 'a'), after('c', 'verifiable', 'b')), 'c');
    expect(planned(lanes, { from: 'a' })).toMatchObject({ kept: [], refused: null });
  });

  it('does not trust the key of a keyed tool, which is that of another run', () => {
    const lanes = failing(begun(step('a', 'keyed'), after('c', 'verifiable', 'a')), 'c');
    expect(planned(lanes, { from: 'a' }).refused).toContain('the key of another run does not show it');
  });
});

describe('a fork of many items', () => {
  const items = forEach('file', [1, 2, 3, 4], step('read', 'pure'), after('write', 'verifiable', 'read'));

  it('keeps all items but those that have not succeeded', () => {
    const lanes = begun({ ...items, window: 2 } as PlanNode, after('last', 'verifiable', 'file'));
    failing(lanes, 'file[2].write');
    const plan = planned(lanes);
    expect(plan.again.map(({ stepId, effect }) => `${stepId} ${effect}`)).toEqual([
      'file[2].write none',
      'file[3].write none',
    ]);
    forked(lanes);
    expect(openOf(lanes)).toEqual(['file[2].write', 'file[3].write']);
    lanes.work('new').calm().work('new').calm();
    expect(endOf(lanes, 'new')).toMatchObject({ reason: 'succeeded', report: { applied: 3 } });
  });

  it('of one item names the steps of all by a star', () => {
    const lanes = failing(begun(items, after('last', 'verifiable', 'file')), 'last');
    expect(planned(lanes, { from: 'file[1].read' }).refused).toContain('file[1].write');
    expect(planned(lanes, { from: 'file[1].read', repeat: ['file[*].write'] }).refused).toBeNull();
    expect(planned(lanes, { from: 'file[1].read', repeat: ['file[0].write'] }).refused).toContain('file[1].write');
    expect(planned(lanes, { from: 'file[1].read', repeat: ['file[*].write'] }).kept).toContain('file[3].write');
  });
});

describe('a fork of a run', () => {
  it('that is not over is refused', () =>
    expect(planned(begun(...chain)).refused).toBe('run old is not over: two runs would do the same; cancel it first'));

  it('from a step that it never came to is refused', () =>
    expect(planned(failing(begun(...chain), 'b'), { from: 'c' }).refused).toContain('never come to a step c'));

  it('whose effect is in doubt is refused unless it is named', () => {
    const lanes = begun(step('a', 'verifiable'), step('b', 'unprotected'));
    lanes.at('old').claims('old/a/0');
    lanes.ask(request('KillRun', { requestId: 'kill', runId: 'old' })).calm();
    expect(planned(lanes).again).toMatchObject([
      { stepId: 'a', effect: 'in_doubt', repeat: 'ask' },
      { stepId: 'b', effect: 'in_doubt', repeat: 'ask' },
    ]);
    expect(planned(lanes, { repeat: ['a', 'b'] }).refused).toBeNull();
  });

  it('that has begun another one asks where that one has made effects', () => {
    const lanes = begun(runOf('child', planOf(step('x', 'verifiable'))), after('c', 'verifiable', 'child'));
    lanes.work('old~child').calm();
    failing(lanes, 'c');
    expect(planned(lanes)).toMatchObject({ kept: ['child'], refused: null });
    expect(planned(lanes, { from: 'child' }).refused).toContain('the run that it began has made effects');
  });

  it('asks about a run that has begun others, whatever it has done itself', () => {
    const charging = planOf(runOf('c', planOf(step('x', 'verifiable'))), after('y', 'verifiable', 'c'));
    const lanes = begun(runOf('batch', charging));
    lanes.work('old~batch~c').calm().say('old~batch', 'AttemptFailed', { retry: 'never', effect: 'none' }).calm();
    expect(planned(lanes)).toMatchObject({ again: [{ stepId: 'batch', effect: 'in_doubt', repeat: 'ask' }] });
  });

  it('does again what a run was left to do that has ended with the old one', () => {
    const lanes = begun(runOf('bg', planOf(step('x', 'verifiable')), { waitMs: 100 }), step('c', 'verifiable'));
    lanes.tick(100).calm();
    lanes.say('old', 'AttemptFailed', { retry: 'never', effect: 'none' }).calm().tick(60_000).calm();
    expect(planned(lanes).kept).toEqual([]);
  });

  it('that names the run which it begins is refused where that is begun again', () => {
    const lanes = begun(runOf('a', planOf(step('x', 'verifiable')), { runId: 'mine' }), after('c', 'verifiable', 'a'));
    lanes.work('mine').calm();
    failing(lanes, 'c');
    expect(planned(lanes).refused).toBeNull();
    expect(planned(lanes, { from: 'a', repeat: ['a'] }).refused).toContain('whose id the plan names');
  });

  it('whose effects are undone is refused', () => {
    const lanes = new SeveralLanes(1, {}, undoableTools());
    lanes.submit(planOf(step('car', 'reserve'), after('b', 'other', 'car')), { runId: 'old', compensate: 'on_cancel' });
    lanes.calm().work('old', 'car 7').calm().cancel('old').calm();
    lanes.at('old').closed('old/b/0');
    expect(planned(lanes).refused).toContain('were undone or are to be');
    lanes.calm().work(lanes.undoOf('old')).calm();
    expect(planned(lanes).refused).toContain('were undone or are to be');
  });

  it('keeps what makes it obsolete', () => {
    const concurrency = { key: 'site', policy: 'queue' } as const;
    const lanes = new SeveralLanes(1).submit(planOf(...chain), { runId: 'old', concurrency, generation: 5 }).calm();
    failing(lanes, 'b');
    lanes.submit(planOf(step('a', 'pure')), { runId: 'newer', concurrency, generation: 6 }).calm();
    forked(lanes);
    expect(endOf(lanes, 'new')).toMatchObject({ reason: 'superseded' });
  });

  it('says what there is no place for beside items that are done again', () => {
    const one = { ...forEach('file', [1, 2], step('write', 'verifiable')), window: 1 } as PlanNode;
    const lanes = failing(begun(one, after('last', 'verifiable', 'file')), 'last');
    const plan = planned(lanes, { from: 'file[0].write' });
    expect(plan.again.find(({ stepId }) => stepId === 'file[1].write')?.why).toContain('no place for it beside');
  });

  it('whose id was used before is that of the last one', () => {
    const lanes = failing(begun(...chain), 'b');
    const records = recordsOf(lanes, 'old');
    const again = [...records, ...records.slice(0, -1)];
    expect(planFork(again, { from: null, repeat: [] }).refused).toContain('is not over');
  });

  it('and of its fork goes on where that one has failed', () => {
    const lanes = forked(failing(begun(...chain), 'b'));
    lanes.work('new').calm();
    lanes.say('new', 'AttemptFailed', { retry: 'never', effect: 'none' }).calm();
    expect(planFork(recordsOf(lanes, 'new'), { from: null, repeat: [] })).toMatchObject({ kept: ['b'], refused: null });
    const again = forkSubmission('new', recordsOf(lanes, 'new'), { runId: 'third' });
    lanes.ask(request('SubmitRun', { ...again, requestId: 'third' })).calm();
    expect(lanes.live('third')?.steps.map(({ stepId }) => stepId)).toEqual(['c']);
  });
});

describe('a submission that claims to have come so far', () => {
  const claims = (progress: object) => {
    const lane = new SeveralLanes(1)
      .submit(planOf(...chain, items), {
        runId: 'new',
        fork: { runId: 'old', seq: 1, from: null, repeat: [], progress } as never,
      })
      .calm()
      .at('new');
    return lane.reactions.flatMap((one) => (one.kind === 'reply' ? [one.reply] : []));
  };
  const items = forEach('file', [1, 2], step('read', 'pure'));
  const each = (index: number, progress: object) => ({
    status: 'each',
    items: 2,
    next: 2,
    open: [{ index, progress }],
    succeeded: 1,
    failed: 0,
  });

  it.each([
    ['a step that the plan does not have', { nodes: { z: { status: 'succeeded' } } }, 'z: the plan has no such step'],
    ['a step before what it waits for', { nodes: { b: { status: 'succeeded' } } }, 'b: comes after a'],
    [
      'one step as items',
      { nodes: { a: { status: 'each_done', items: 1, succeeded: 1, failed: 0 } } },
      'a: a step can',
    ],
    ['items as one step', { nodes: { file: { status: 'succeeded' } } }, 'file: has items'],
    ['items that would begin by themselves and have not', { nodes: {} }, 'file: its items begin'],
    [
      'items of which none is open',
      { nodes: { file: { status: 'each', items: 2, next: 1, open: [], succeeded: 1, failed: 0 } } },
      'file: other items are open',
    ],
    [
      'an item that is done, and open',
      { nodes: { file: each(0, { nodes: { read: { status: 'succeeded' } } }) } },
      'file[0]: is done, and open',
    ],
    [
      'other items than there are',
      { nodes: { file: { status: 'each', items: 9, next: 0, open: [], succeeded: 0, failed: 0 } } },
      'file: its items do not add up',
    ],
  ])('%s is refused', (_, progress, why) => {
    expect(claims(progress)).toMatchObject([
      { outcome: 'refused', code: 'invalid_program', message: expect.stringContaining(why) },
    ]);
  });
});
