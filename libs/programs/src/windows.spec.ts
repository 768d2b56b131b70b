import { begin, forEachNames, opened, outcome, ready, succeeded, widened, withWindows } from './index.js';
import type { Json, Plan, Progress } from './index.js';

const plan: Plan = {
  kind: 'plan',
  steps: [
    {
      id: 'outer',
      forEach: [1, 2, 3],
      window: 1,
      steps: [
        { id: 'inner', forEach: [1, 2, 3, 4], window: 1, steps: [{ id: 'a', tool: 't@1' }] },
        { id: 'b', tool: 't@1', args: { of: { $from: 'item' } } },
      ],
    },
    { id: 'last', tool: 't@1', after: ['outer'] },
  ],
};
const input: Json = {};
const ids = (of: Plan, progress: Progress) => ready(of, input, progress, 100).map(({ stepId }) => stepId);

/** Does all that is ready until nothing is. */
const finished = (of: Plan, from: Progress): { readonly progress: Progress; readonly steps: readonly string[] } => {
  const steps: string[] = [];
  let progress = from;
  for (let next = ids(of, progress); next.length > 0; next = ids(of, progress)) {
    for (const stepId of next) {
      progress = succeeded(of, input, opened(of, input, progress, stepId), stepId, null);
      steps.push(stepId);
    }
  }
  return { progress, steps };
};

describe('the windows of a plan', () => {
  it('are named by the forEach and those around it', () =>
    expect(forEachNames(plan)).toEqual(['outer', 'outer.inner']));

  it('that grow open items at once, in each item that is open', () => {
    const wide = withWindows(plan, { outer: 2, 'outer.inner': 3 });
    const progress = widened(wide, input, begin(plan, input));
    expect(ids(wide, progress)).toEqual([
      ...[0, 1, 2].map((index) => `outer[0].inner[${index}].a`),
      'outer[0].b',
      ...[0, 1, 2].map((index) => `outer[1].inner[${index}].a`),
      'outer[1].b',
    ]);
  });

  it('that shrink take nothing back', () => {
    const wide = withWindows(plan, { outer: 3 });
    const progress = begin(wide, input);
    expect(widened(plan, input, progress)).toEqual(progress);
  });

  it('change neither what is done nor how it ends', () => {
    const wide = withWindows(plan, { outer: 2, 'outer.inner': 4 });
    const usual = finished(plan, begin(plan, input));
    const other = finished(wide, widened(wide, input, begin(plan, input)));
    expect(other.steps.toSorted()).toEqual(usual.steps.toSorted());
    expect([usual, other].map(({ progress }) => outcome(plan, input, progress).status)).toEqual([
      'succeeded',
      'succeeded',
    ]);
  });

  it('of a scope that is stopped open nothing more', () => {
    const stopped: Progress = { nodes: { ...begin(plan, input).nodes, last: { status: 'failed' } } };
    expect(widened(withWindows(plan, { outer: 3 }), input, stopped)).toEqual(stopped);
  });
});
