import * as fc from 'fast-check';
import { frozen } from '../../../test/support/frozen.js';
import { argsOf, begin, failed, isDependent, opened, outcome, ready, stepAt, succeeded } from './index.js';
import type { Json, Plan, PlanNode, Progress, ReadyStep } from './index.js';

const onFailure = fc.constantFrom('fail', 'continue', 'continue', 'continue') as fc.Arbitrary<'fail' | 'continue'>;

/** Nodes that come after, or refer to, some of those before them, and perhaps to a step of the scope around. */
const scope = (depth: number, outside: readonly string[]): fc.Arbitrary<PlanNode[]> =>
  fc.integer({ min: 1, max: 4 }).chain((size) =>
    fc.tuple(
      ...Array.from({ length: size }, (_, at) => {
        const before = Array.from({ length: at }, (_, earlier) => `s${depth}${earlier}`);
        return node(`s${depth}${at}`, depth, { before, outside });
      }),
    ),
  );

type Around = { readonly before: readonly string[]; readonly outside: readonly string[] };

const node = (id: string, depth: number, { before, outside }: Around): fc.Arbitrary<PlanNode> => {
  const refs = fc.subarray([...before, ...outside]);
  const args = refs.map((ids) => ids.map((name): Json => ({ $from: `steps.${name}` })));
  const step = fc
    .record({ after: fc.subarray([...before]), args, onFailure })
    .map((rest): PlanNode => ({ id, tool: 'work@1', ...rest }));
  const ask = fc
    .record({ after: fc.subarray([...before]), args, onFailure })
    .map(({ args: context, ...rest }): PlanNode => ({
      id,
      ask: { question: 'Go on?', context, choices: ['yes'] },
      ...rest,
    }));
  const leaf = fc.oneof({ weight: 3, arbitrary: step }, { weight: 1, arbitrary: ask });
  if (depth >= 2) return leaf;
  const array: fc.Arbitrary<Json> = fc.oneof(
    fc.array(fc.integer(), { maxLength: 5 }),
    fc.constant({ $from: 'input.items' }),
    fc.constant({ $from: 'input.nothing' }),
  );
  const each = fc
    .record({
      after: fc.subarray([...before]),
      forEach: array,
      window: fc.integer({ min: 1, max: 3 }),
      onFailure,
      steps: scope(depth + 1, [...before, ...outside]),
    })
    .map((rest): PlanNode => ({ id, ...rest }));
  return fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: each });
};

const plans = scope(0, []).map((steps): Plan => frozen({ kind: 'plan', steps }));
const input: Json = frozen({ items: [1, 2, 3, 4] });

type Moment = { readonly progress: Progress; readonly offered: readonly ReadyStep[]; readonly open: readonly string[] };
type Drive = {
  readonly scheduled: readonly string[];
  /** What failed, and how many steps were scheduled before. */
  readonly failures: readonly { readonly failed: string; readonly at: number }[];
  readonly progress: Progress;
};

/** Drives a plan to its end with choices out of `random`, and shows every moment on the way. */
const drive = (plan: Plan, random: () => number, see: (moment: Moment) => void): Drive => {
  let progress = frozen(begin(plan, input));
  const scheduled: string[] = [];
  const failures: { failed: string; at: number }[] = [];
  const open: string[] = [];
  const change = (how: typeof opened, stepId: string) => {
    progress = frozen(JSON.parse(JSON.stringify(how(plan, input, progress, stepId))) as Progress);
    if (how === failed) failures.push({ failed: stepId, at: scheduled.length });
  };
  for (let turns = 0; turns < 5_000; turns += 1) {
    const offered = ready(plan, input, progress, 1 + Math.floor(random() * 4));
    see({ progress, offered, open });
    const starts = open.length === 0 || random() < 0.5 ? offered[0] : undefined;
    if (starts !== undefined) {
      scheduled.push(starts.stepId);
      if (starts.problem === undefined) open.push(starts.stepId);
      change(starts.problem === undefined ? opened : failed, starts.stepId);
    } else {
      const [stepId] = open.splice(Math.floor(random() * open.length), 1);
      if (stepId !== undefined) change(random() < 0.2 ? failed : succeeds, stepId);
      else if (offered.length === 0) return { scheduled, failures, progress };
    }
  }
  throw new Error('the plan does not end');
};

const succeeds: typeof opened = (plan, input, progress, stepId) => succeeded(plan, input, progress, stepId, stepId);

const numbers = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const scopeOfStep = (stepId: string) => stepId.slice(0, stepId.lastIndexOf('.') + 1);
const inSameScope = (stepId: string, other: string) => stepId.startsWith(scopeOfStep(other));

const windowsOf = (nodes: readonly PlanNode[], progress: Progress): void => {
  for (const { id, ...rest } of nodes) {
    const each = progress.nodes[id];
    if (each?.status !== 'each' || !('forEach' in rest)) continue;
    expect(each.open.length).toBeLessThanOrEqual(rest.window ?? 32);
    each.open.forEach((item) => windowsOf(rest.steps, item.progress));
  }
};

const property = (check: (plan: Plan, seed: number) => void) =>
  fc.assert(fc.property(plans, fc.integer(), check), { numRuns: 150 });

describe('driving any plan with any order of successes and failures', () => {
  it('ends, and never offers a step twice', () =>
    property((plan, seed) => {
      const { scheduled, progress } = drive(plan, numbers(seed), () => {});
      expect(new Set(scheduled).size).toBe(scheduled.length);
      expect(outcome(plan, input, progress).status).not.toBe('running');
    }));

  it('never opens more items than the window', () =>
    property((plan, seed) => {
      drive(plan, numbers(seed), ({ progress }) => windowsOf(plan.steps, progress));
    }));

  it('offers a step only when nothing it depends on is open or offered with it', () =>
    property((plan, seed) => {
      drive(plan, numbers(seed), ({ offered, open }) => {
        for (const { stepId } of offered) {
          for (const other of [...open, ...offered.map(({ stepId }) => stepId)]) {
            expect([stepId, other, isDependent(plan, stepId, other)]).toStrictEqual([stepId, other, false]);
          }
        }
      });
    }));

  it('never offers a step that depends on one that has failed', () =>
    property((plan, seed) => {
      const { scheduled, failures } = drive(plan, numbers(seed), () => {});
      for (const { failed, at } of failures) {
        const depending = scheduled.slice(at).filter((stepId) => isDependent(plan, stepId, failed));
        // What comes after a forEach depends on the forEach as a whole, which may tolerate the failure.
        expect(depending.filter((stepId) => inSameScope(stepId, failed))).toStrictEqual([]);
      }
    }));

  it('has the arguments of every offered and every open step', () =>
    property((plan, seed) => {
      const given = new Map<string, Json>();
      drive(plan, numbers(seed), ({ progress, offered, open }) => {
        for (const { stepId, args, problem } of offered) {
          const again = argsOf(plan, input, progress, stepId);
          expect(again).toStrictEqual(problem === undefined ? { args } : { problem });
          // Only the arrays of these plans lead nowhere: a step is offered when all it refers to is there.
          if (problem === undefined) given.set(stepId, args);
          else expect(() => stepAt(plan, stepId)).toThrow('is a forEach');
        }
        for (const stepId of open) {
          expect(argsOf(plan, input, progress, stepId)).toStrictEqual({ args: given.get(stepId) });
        }
      });
    }));

  it('keeps no result at the end of a plan that has no output', () =>
    property((plan, seed) => {
      const { progress } = drive(plan, numbers(seed), () => {});
      if (outcome(plan, input, progress).status === 'succeeded') {
        expect(JSON.stringify(progress)).not.toContain('"result"');
      }
    }));
});

describe('the size of progress', () => {
  it('does not grow with the items that are finished', () => {
    const plan: Plan = frozen({
      kind: 'plan',
      steps: [
        {
          id: 'file',
          forEach: { $from: 'input.files' },
          steps: [
            { id: 'read', tool: 'read@1', args: { path: { $from: 'item' } } },
            { id: 'save', tool: 'save@1', args: { text: { $from: 'steps.read' } } },
          ],
        },
      ],
    });
    const files = frozen({ files: Array.from({ length: 5_000 }, (_, at) => `file ${at}`) });
    let progress = begin(plan, files);
    let longest = 0;
    for (let steps = 0; steps < 10_000; steps += 1) {
      const [next] = ready(plan, files, progress, 1);
      if (next === undefined) throw new Error('nothing is ready');
      progress = opened(plan, files, progress, next.stepId);
      progress = succeeded(plan, files, progress, next.stepId, 'a text of some length');
      if (steps % 50 === 0) longest = Math.max(longest, JSON.stringify(progress).length);
    }
    expect(outcome(plan, files, progress)).toStrictEqual({ status: 'succeeded', output: null });
    expect(longest).toBeLessThan(1_500);
  });
});
