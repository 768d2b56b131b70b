import {
  argsOf,
  begin,
  isRun,
  leafAt,
  opened,
  outcome,
  parsePlan,
  ready,
  stepAt,
  succeeded,
  validatePlan,
} from './index.js';
import type { Plan, PlanRun } from './plan.js';

const inner: Plan = { kind: 'plan', steps: [{ id: 'x', tool: 'look@1', args: { of: { $from: 'input.what' } } }] };
const child = (id: string, more: Partial<PlanRun['run']> = {}): PlanRun => ({
  id,
  run: { program: inner as PlanRun['run']['program'], ...more },
});
const planOf = (...steps: Plan['steps']): Plan => ({ kind: 'plan', steps });
const look = {
  name: 'look',
  version: '1',
  policy: 'pure',
  inputSchema: { type: 'object', properties: { of: { type: 'string' } }, additionalProperties: false },
  outputSchema: {},
  timeoutMs: 1_000,
} as const;
const problems = (plan: Plan, input = {}) =>
  validatePlan(plan, input, new Map([['look@1', look]]), { runDeadlineMs: 10_000, startByMs: 1_000 }).map(
    ({ at, code }) => `${at}: ${code}`,
  );

describe('a step that begins a run', () => {
  it('is ready with its program as it stands, its input and its id', () => {
    const plan = planOf(child('a', { input: { what: { $from: 'input.name' } }, runId: { $text: 'of-{input.name}' } }));
    const [step] = ready(plan, { name: 'n' }, begin(plan, { name: 'n' }), 9);
    expect(step).toEqual({ stepId: 'a', args: { program: inner, input: { what: 'n' }, runId: 'of-n' } });
  });

  it('may get its program as a value', () => {
    const plan = planOf(child('a', { program: { $from: 'input.plan' } }));
    const input = { plan: inner as unknown as string };
    expect(argsOf(plan, input, begin(plan, input), 'a')).toMatchObject({ args: { program: inner } });
  });

  it('gives its output to those that refer to it, and does not wait for what its own program refers to', () => {
    const plan: Plan = {
      ...planOf(child('x'), child('b', { input: { $from: 'steps.x' } })),
      output: { $from: 'steps.b' },
    };
    let progress = opened(plan, {}, begin(plan, {}), 'x');
    expect(ready(plan, {}, progress, 9)).toEqual([]);
    progress = succeeded(plan, {}, progress, 'x', { done: 1 });
    expect(ready(plan, {}, progress, 9)).toMatchObject([{ stepId: 'b', args: { input: { done: 1 } } }]);
    progress = succeeded(plan, {}, opened(plan, {}, progress, 'b'), 'b', 2);
    expect(outcome(plan, {}, progress)).toEqual({ status: 'succeeded', output: 2 });
  });

  it('is a leaf of the plan, and calls no tool', () => {
    const plan = planOf(child('a'));
    expect(isRun(leafAt(plan, 'a'))).toBe(true);
    expect(() => stepAt(plan, 'a')).toThrow('a calls no tool');
  });
});

describe('what is wrong with a step that begins a run', () => {
  it('is named by its place', () => {
    const parsed = parsePlan({ kind: 'plan', steps: [{ id: 'a', run: { program: inner, wait: 1 } }] });
    expect(parsed).toEqual({
      problems: [{ at: 'steps[0].run.wait', code: 'malformed', message: 'wait is not known here' }],
    });
    expect(parsePlan({ kind: 'plan', steps: [{ id: 'a', run: { program: inner, waitMs: -1 } }] })).toMatchObject({
      problems: [{ at: 'steps[0].run.waitMs' }],
    });
  });

  it('is looked for in its program too, as far as its input is known', () => {
    expect(problems(planOf(child('a', { input: { what: 'it' } })))).toEqual([]);
    expect(problems(planOf(child('a')))).toEqual(['steps[0].run.program.steps[0].args.of: leads_nowhere']);
    const later = planOf(child('a', { input: { what: 'it' } }), child('b', { input: { $from: 'steps.a' } }));
    expect(problems(later)).toEqual([]);
    const unknown = { kind: 'plan', steps: [{ id: 'x', tool: 'gone@1' }] };
    expect(problems(planOf(child('a', { program: unknown, input: { $from: 'input' } })))).toEqual([
      'steps[0].run.program.steps[0].tool: unknown_tool',
    ]);
    expect(problems(planOf(child('a', { program: { kind: 'plan' } })))).toEqual([
      'steps[0].run.program.steps: malformed',
    ]);
  });

  it('is looked for in its references', () => {
    const plan = planOf(child('a', { input: { $from: 'steps.b' }, runId: { $from: 'input.id' } }));
    expect(problems(plan)).toEqual(['steps[0].run.input: unknown_reference', 'steps[0].run.runId: leads_nowhere']);
  });

  it('takes no longer with programs in programs, and items around them', () => {
    const each = (depth: number): Plan =>
      depth === 0
        ? inner
        : planOf({
            id: 'e',
            forEach: [1, 2, 3],
            steps: [child('a', { program: each(depth - 1) as PlanRun['run']['program'], input: { what: 'it' } })],
          });
    expect(problems(each(6))).toEqual([]);
  });
});
