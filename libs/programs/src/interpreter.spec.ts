import { isDeepStrictEqual } from 'node:util';
import { argsOf, begin, failed, opened, outcome, ProgramError, ready, succeeded } from './index.js';
import type { Json, Plan, PlanNode, PlanStep, Progress } from './index.js';

type Happening = (plan: Plan, input: Json, progress: Progress) => Progress;

const starts =
  (stepId: string): Happening =>
  (plan, input, progress) =>
    opened(plan, input, progress, stepId);
const ends =
  (stepId: string, result: Json = null): Happening =>
  (plan, input, progress) =>
    succeeded(plan, input, opened(plan, input, progress, stepId), stepId, result);
const fails =
  (stepId: string): Happening =>
  (plan, input, progress) =>
    failed(plan, input, progress, stepId);

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};

/** given(plan, input).when(…).then…: everything handed over is frozen, and progress goes through JSON on the way. */
const given = (plan: Plan, input: Json = {}) => {
  frozen([plan, input]);
  const told = (progress: Progress) => ({
    progress,
    when: (...happenings: Happening[]) =>
      told(
        happenings.reduce((before, happens) => {
          const after = happens(plan, input, frozen(before));
          expect(isDeepStrictEqual(JSON.parse(JSON.stringify(after)), after)).toBe(true);
          return after;
        }, progress),
      ),
    thenReady: (...stepIds: string[]) =>
      expect(ready(plan, input, frozen(progress), 1_000).map(({ stepId }) => stepId)).toStrictEqual(stepIds),
    thenReadySteps: (...steps: Json[]) => expect(ready(plan, input, progress, 1_000)).toStrictEqual(steps),
    thenArgs: (stepId: string, args: Json) => expect(argsOf(plan, input, progress, stepId)).toStrictEqual({ args }),
    thenOutcome: (expected: Json) => expect(outcome(plan, input, progress)).toMatchObject(expected as object),
    thenNodes: (nodes: Json) => expect(progress.nodes).toStrictEqual(nodes),
  });
  return told(begin(plan, input));
};

const step = (id: string, rest: Partial<PlanStep> = {}): PlanStep => ({ id, tool: 'work@1', ...rest });
const plan = (steps: readonly PlanNode[], rest: Partial<Plan> = {}): Plan => ({
  kind: 'plan',
  steps: [...steps],
  ...rest,
});
const from = ($from: string): Json => ({ $from });

describe('starting steps', () => {
  it('offers what depends on nothing, in the order of the plan', () =>
    given(plan([step('b'), step('a'), step('c', { after: ['a'] })])).thenReady('b', 'a'));

  it('does not offer a step that is open or done', () =>
    given(plan([step('a'), step('b'), step('c')]))
      .when(starts('a'), ends('b'))
      .thenReady('c'));

  it('waits for what a step comes after and for what it refers to', () => {
    const waiting = plan([step('a'), step('b'), step('c', { after: ['a'], args: { x: from('steps.b.x') } })]);
    given(waiting).when(ends('a')).thenReady('b');
    given(waiting)
      .when(ends('a'), ends('b', { x: 7 }))
      .thenReadySteps({ stepId: 'c', args: { x: 7 } });
  });

  it('offers no more than the limit', () => {
    const many = plan([step('a'), step('b'), step('c')]);
    expect(ready(many, {}, begin(many, {}), 2).map(({ stepId }) => stepId)).toStrictEqual(['a', 'b']);
    expect(ready(many, {}, begin(many, {}), 0)).toStrictEqual([]);
  });

  it('reports a reference that leads nowhere', () =>
    given(plan([step('a'), step('b', { args: from('steps.a.missing') })]))
      .when(ends('a', {}))
      .thenReadySteps({ stepId: 'b', args: null, problem: 'steps.a.missing leads nowhere' }));

  it('lets a step be scheduled before what it waits for is done, as a chain does', () =>
    given(plan([step('a'), step('b', { args: from('steps.a') })]))
      .when(starts('a'), starts('b'), ends('a', 'text'))
      .thenArgs('b', 'text'));
});

describe('keeping results', () => {
  const reading = plan([
    step('a'),
    step('b', { args: from('steps.a') }),
    step('c', { after: ['b'], args: from('steps.a') }),
  ]);

  it('keeps a result while an open or unscheduled step refers to it', () => {
    given(reading)
      .when(ends('a', 'text'), ends('b'))
      .thenNodes({
        a: { status: 'succeeded', result: 'text' },
        b: { status: 'succeeded' },
      });
    given(reading).when(ends('a', 'text'), ends('b'), starts('c')).thenArgs('c', 'text');
  });

  it('drops it after the last reader has ended', () =>
    given(reading)
      .when(ends('a', 'text'), ends('b'), ends('c'))
      .thenNodes({ a: { status: 'succeeded' }, b: { status: 'succeeded' }, c: { status: 'succeeded' } }));

  it('keeps what the output refers to', () =>
    given(plan([step('a'), step('b')], { output: { text: from('steps.a.text') } }))
      .when(ends('a', { text: 'kept' }), ends('b', 'dropped'))
      .thenOutcome({ status: 'succeeded', output: { text: 'kept' } }));

  it('keeps an array while items of it are to come, and the results that the steps of an item refer to', () => {
    const reading = plan([
      step('list'),
      step('base'),
      { id: 'file', forEach: from('steps.list'), window: 1, steps: [step('read', { args: from('steps.base') })] },
    ]);
    const first = given(reading).when(ends('list', [1, 2]), ends('base', 'b'), ends('file[0].read'));
    first.thenReadySteps({ stepId: 'file[1].read', args: 'b' });
    first.when(ends('file[1].read')).thenNodes({
      list: { status: 'succeeded' },
      base: { status: 'succeeded' },
      file: { status: 'each_done', items: 2, succeeded: 2, failed: 0 },
    });
  });
});

describe('doing something for each item', () => {
  const files = plan([
    {
      id: 'file',
      forEach: from('input.files'),
      window: 2,
      steps: [step('read', { args: from('item.path') }), step('save', { args: from('steps.read') })],
    },
    step('report', { args: from('steps.file') }),
  ]);
  const input = { files: [{ path: 'a' }, { path: 'b' }, { path: 'c' }] };

  it('opens items in order while the window has room', () =>
    given(files, input).thenReadySteps({ stepId: 'file[0].read', args: 'a' }, { stepId: 'file[1].read', args: 'b' }));

  it('opens the next item when one is finished, whichever it is', () =>
    given(files, input)
      .when(ends('file[1].read', 'B'), ends('file[1].save'))
      .thenReady('file[0].read', 'file[2].read'));

  it('counts the finished items and forgets them', () =>
    given(files, input)
      .when(ends('file[1].read', 'B'), ends('file[1].save'))
      .thenNodes({
        file: {
          status: 'each',
          items: 3,
          next: 3,
          open: [
            { index: 0, progress: { nodes: {} } },
            { index: 2, progress: { nodes: {} } },
          ],
          succeeded: 1,
          failed: 0,
        },
      }));

  it('gives the counts to what refers to it', () =>
    given(files, { files: [{ path: 'a' }] })
      .when(ends('file[0].read', 'A'), ends('file[0].save'))
      .thenReadySteps({ stepId: 'report', args: { items: 1, succeeded: 1, failed: 0 } }));

  it('is done at once when there are no items, and so is what consists of that alone', () => {
    const nested = plan([
      {
        id: 'a',
        forEach: from('input.outer'),
        steps: [{ id: 'b', forEach: from('item'), steps: [step('c')] }],
      },
      step('end', { after: ['a'] }),
    ]);
    given(nested, { outer: [] }).thenReady('end');
    given(nested, { outer: [[], [], []] }).thenReady('end');
    given(nested, { outer: [[], [1], []] }).thenReady('a[1].b[0].c');
  });

  it('knows the items and positions of the loops around', () =>
    given(
      plan([
        {
          id: 'a',
          forEach: from('input.rows'),
          steps: [
            {
              id: 'b',
              forEach: from('item.cells'),
              steps: [
                step('c', {
                  args: { text: { $text: '{items.a.name}{indexes.a}/{item}{index}' }, inner: from('items.b') },
                }),
              ],
            },
          ],
        },
      ]),
      { rows: [{ name: 'r', cells: ['x', 'y'] }] },
    ).thenReadySteps(
      { stepId: 'a[0].b[0].c', args: { text: 'r0/x0', inner: 'x' } },
      { stepId: 'a[0].b[1].c', args: { text: 'r0/y1', inner: 'y' } },
    ));

  it('takes an array that stands in the plan, with references in it', () =>
    given(plan([{ id: 'a', forEach: ['x', from('input.y')], steps: [step('b', { args: from('item') })] }]), {
      y: 'Y',
    }).thenReadySteps({ stepId: 'a[0].b', args: 'x' }, { stepId: 'a[1].b', args: 'Y' }));

  it('lets a step of an item hide one of the same name outside', () =>
    given(
      plan([
        step('read'),
        {
          id: 'file',
          after: ['read'],
          forEach: [1],
          steps: [step('read'), step('save', { args: from('steps.read') })],
        },
      ]),
    )
      .when(ends('read', 'outer'), ends('file[0].read', 'inner'))
      .thenReadySteps({ stepId: 'file[0].save', args: 'inner' }));

  it('reports what is not an array, or too many items, under the id of the forEach', () => {
    const each = plan([{ id: 'file', forEach: from('input'), steps: [step('read')] }]);
    given(each, { not: 'an array' }).thenReadySteps({ stepId: 'file', args: null, problem: 'forEach needs an array' });
    given(
      each,
      Array.from({ length: 100_001 }, () => 0),
    ).thenReadySteps({
      stepId: 'file',
      args: null,
      problem: 'forEach over 100001 items; the limit is 100000',
    });
    given(each, 'text').when(fails('file')).thenOutcome({ status: 'failed', stepId: 'file' });
  });

  it('limits nested items multiplied, which would cost time without a single step', () => {
    const each = plan([
      {
        id: 'a',
        forEach: from('input'),
        window: 1,
        steps: [{ id: 'b', forEach: from('input'), steps: [{ id: 'c', forEach: [], steps: [step('d')] }] }],
      },
    ]);
    given(
      each,
      Array.from({ length: 1_001 }, () => 0),
    ).thenReadySteps({ stepId: 'a[0].b', args: null, problem: '1002001 nested items; the limit is 1000000' });
  });
});

const loop = (onFailure: 'fail' | 'continue', readOnFailure: 'fail' | 'continue' = 'fail') =>
  plan([
    {
      id: 'file',
      forEach: [0, 1, 2],
      window: 2,
      onFailure,
      steps: [step('read', { onFailure: readOnFailure }), step('save', { after: ['read'] }), step('log')],
    },
  ]);

describe('failing', () => {
  it('ends the plan when a step fails, whatever is open', () => {
    const two = given(plan([step('a'), step('b'), step('c')])).when(starts('b'), fails('a'));
    two.thenOutcome({ status: 'failed', stepId: 'a' });
    two.thenReady();
    two.when(ends('b')).thenOutcome({ status: 'failed', stepId: 'a' });
  });

  it('goes on without what depends on the step where the step says so', () => {
    const going = plan([
      step('a', { onFailure: 'continue' }),
      step('b', { after: ['a'] }),
      step('c', { args: from('steps.b') }),
      step('d'),
    ]);
    const failing = given(going).when(starts('a'), fails('a'));
    failing.thenReady('d');
    failing.when(ends('d')).thenNodes({
      a: { status: 'failed' },
      b: { status: 'skipped' },
      c: { status: 'skipped' },
      d: { status: 'succeeded' },
    });
    failing.when(ends('d')).thenOutcome({ status: 'succeeded', output: null });
  });

  it('shows null in the output for what was skipped', () =>
    given(plan([step('a', { onFailure: 'continue' })], { output: { a: from('steps.a'), b: 1 } }))
      .when(fails('a'))
      .thenOutcome({ status: 'succeeded', output: { a: null, b: 1 } }));

  it('counts the item and opens the next when the forEach goes on', () => {
    const failing = given(loop('continue')).when(fails('file[0].read'));
    failing.thenReady('file[1].read', 'file[1].log', 'file[2].read', 'file[2].log');
    failing
      .when(
        ...[1, 2].flatMap((item) => [
          ends(`file[${item}].read`),
          ends(`file[${item}].save`),
          ends(`file[${item}].log`),
        ]),
      )
      .thenNodes({ file: { status: 'each_done', items: 3, succeeded: 2, failed: 1 } });
  });

  it('waits for the open steps of a failed item before it opens another', () => {
    const failing = given(loop('continue')).when(starts('file[0].log'), fails('file[0].read'));
    failing.thenReady('file[1].read', 'file[1].log');
    failing.when(ends('file[0].log')).thenReady('file[1].read', 'file[1].log', 'file[2].read', 'file[2].log');
  });

  it('lets the rest of an item go on when its step says so, and counts the item as failed', () => {
    const failing = given(loop('fail', 'continue')).when(fails('file[0].read'));
    failing.thenReady('file[0].log', 'file[1].read', 'file[1].log');
    failing.when(ends('file[0].log')).thenOutcome({ status: 'running' });
    expect(failing.when(ends('file[0].log')).progress.nodes['file']).toMatchObject({ failed: 1, succeeded: 0 });
  });

  it('ends the plan when an item has failed and the forEach does not go on', () => {
    const failing = given(loop('fail')).when(starts('file[1].read'), starts('file[0].read'), fails('file[0].read'));
    failing.thenOutcome({ status: 'failed', stepId: 'file[0].read' });
    failing.thenReady();
    failing.when(ends('file[1].read')).thenNodes({ file: { status: 'failed', cause: 'file[0].read' } });
    failing.when(ends('file[1].read')).thenOutcome({ status: 'failed', stepId: 'file[0].read' });
  });

  it('fails an item of the outer loop when an inner loop fails, once its open steps have ended', () => {
    const nested = plan([
      {
        id: 'a',
        forEach: [0, 1],
        window: 1,
        onFailure: 'continue',
        steps: [{ id: 'b', forEach: [0, 1, 2], steps: [step('c'), step('d', { after: ['c'] })] }],
      },
    ]);
    const failing = given(nested).when(starts('a[0].b[1].c'), fails('a[0].b[0].c'));
    failing.thenReady();
    failing.when(ends('a[0].b[1].c')).thenReady('a[1].b[0].c', 'a[1].b[1].c', 'a[1].b[2].c');
    expect(failing.when(ends('a[0].b[1].c')).progress.nodes['a']).toMatchObject({ failed: 1, succeeded: 0 });
  });
});

describe('contradictions', () => {
  const two = plan([step('a'), { id: 'file', forEach: [1], steps: [step('read')] }]);
  const begun = begin(two, {});

  it.each(['nothing', 'file', 'file.read', 'file[0]', 'file[00].read', 'a[0].b', 'file[0].read.x', '', '__proto__'])(
    'throws when %p succeeds',
    (stepId) => expect(() => succeeded(two, {}, begun, stepId, null)).toThrow(ProgramError),
  );

  it('throws when a step that is not open succeeds, or one that is done changes', () => {
    const done = succeeded(two, {}, opened(two, {}, begun, 'a'), 'a', null);
    expect(() => succeeded(two, {}, begun, 'a', null)).toThrow('a is not open and cannot succeed');
    expect(() => succeeded(two, {}, done, 'a', null)).toThrow('a is succeeded and cannot succeed');
    expect(() => failed(two, {}, done, 'a')).toThrow('a is succeeded and cannot fail');
    expect(() => opened(two, {}, done, 'a')).toThrow('a is succeeded and cannot be opened');
  });

  it('throws when a step of an item that is not open changes', () =>
    expect(() => opened(two, {}, begun, 'file[7].read')).toThrow('the item of file[7].read is not open'));

  it('leaves a step open that is opened again', () => {
    const once = opened(two, {}, begun, 'a');
    expect(opened(two, {}, once, 'a')).toStrictEqual(once);
  });

  it('has names such as constructor like any other', () =>
    given(plan([step('constructor'), step('toString', { args: from('steps.constructor.valueOf') })]))
      .when(ends('constructor', {}))
      .thenReadySteps({ stepId: 'toString', args: null, problem: 'steps.constructor.valueOf leads nowhere' }));
});
