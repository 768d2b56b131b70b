import { parsePlan } from '../index.js';

const problemsOf = (value: unknown): unknown => {
  const parsed = parsePlan(value);
  return 'problems' in parsed ? parsed.problems.map(({ at, code }) => [at, code]) : [];
};

describe('reading a plan', () => {
  it('gives a plan that has the form', () => {
    const plan = {
      kind: 'plan',
      steps: [
        { id: 'a', tool: 'read@1' },
        { id: 'b', forEach: [], steps: [{ id: 'c', tool: 'x@2' }] },
      ],
    };
    expect(parsePlan(plan)).toStrictEqual({ plan });
  });

  it.each([undefined, null, 7, 'plan', [], { kind: 'workflow' }])('refuses %p', (value) =>
    expect(problemsOf(value)).not.toStrictEqual([]),
  );

  it('tells every place that has not the form', () =>
    expect(
      problemsOf({
        kind: 'plan',
        steps: [
          { id: '7', tool: 'read@1', colour: 'red' },
          { id: 'a', tool: 'read', timeoutMs: 0 },
          {
            id: 'b',
            forEach: [],
            window: 0,
            steps: [
              { id: 'c', tool: 7 },
              { id: 'd', forEach: [], steps: [] },
            ],
          },
        ],
        more: 1,
      }),
    ).toStrictEqual([
      ['steps[0].id', 'malformed'],
      ['steps[0].colour', 'malformed'],
      ['steps[1].tool', 'malformed'],
      ['steps[1].timeoutMs', 'malformed'],
      ['steps[2].steps[0].tool', 'malformed'],
      ['steps[2].steps[1].steps', 'malformed'],
      ['steps[2].window', 'malformed'],
      ['more', 'malformed'],
    ]));

  it('refuses ids that would be no place in a path, or the prototype', () =>
    expect(
      problemsOf({ kind: 'plan', steps: ['__proto__', 'a.b', 'a[0]', ''].map((id) => ({ id, tool: 'x@1' })) }),
    ).toHaveLength(4));

  it('refuses arguments that are not JSON', () =>
    expect(problemsOf({ kind: 'plan', steps: [{ id: 'a', tool: 'x@1', args: { f: () => 1 } }] })).toStrictEqual([
      ['steps[0].args', 'malformed'],
    ]));

  it('refuses what is nested so deeply that walking it would exhaust the stack', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    expect(problemsOf({ kind: 'plan', steps: [{ id: 'a', tool: 'x@1', args: deep }] })).toStrictEqual([
      ['', 'nested_too_deep'],
    ]);
  });
});
