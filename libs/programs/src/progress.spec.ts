import { ends, from, given, plan, starts, step } from '../../../test/support/plan-progress.js';
import { begin, failed, opened, ProgramError, ready, succeeded } from './index.js';

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
