import { ends, fails, from, given, plan, step } from '../../../test/support/plan-progress.js';

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
