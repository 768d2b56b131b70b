import { ends, fails, from, given, plan, starts, step } from '../../../test/support/plan-progress.js';

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
