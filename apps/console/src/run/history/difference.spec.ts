import { differences, moving } from './difference.js';

describe('what an event has changed', () => {
  it('is each value with its place', () => {
    const before = { status: 'running', counts: { open: 1, done: 0 }, gone: true };
    const after = { status: 'ended', counts: { open: 1, done: 1 }, report: { applied: 1 } };
    expect(differences(before, after, 10)).toEqual([
      { path: 'status', before: 'running', after: 'ended', kind: 'changed' },
      { path: 'counts.done', before: 0, after: 1, kind: 'changed' },
      { path: 'report', before: undefined, after: { applied: 1 }, kind: 'added' },
      { path: 'gone', before: true, after: undefined, kind: 'removed' },
    ]);
  });

  it('compares named things by their names, wherever they stand', () => {
    const before = {
      steps: [
        { stepId: 'a', tries: 0 },
        { stepId: 'b', tries: 0 },
      ],
    };
    const after = { steps: [{ stepId: 'b', tries: 1 }] };
    expect(differences(before, after, 10).map(({ path, kind }) => [path, kind])).toEqual([
      ['steps[b].tries', 'changed'],
      ['steps[a]', 'removed'],
    ]);
    expect(differences([1, 2], [1, 3, 4], 10).map(({ path }) => path)).toEqual(['[1]', '[2]']);
  });

  it('is bounded, and empty where nothing differs', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]));
    expect(differences({}, many, 7)).toHaveLength(7);
    expect(differences(many, { ...many }, 7)).toEqual([]);
    expect(differences(null, { a: 1 }, 7)).toMatchObject([{ path: 'all of it', kind: 'changed' }]);
  });

  it('leaves out of a state what never changes in it', () => {
    expect(moving({ program: {}, input: 1, tools: {}, steps: [] })).toEqual({ steps: [] });
    expect(moving(null)).toBeNull();
  });
});
