import { validatePlan } from '../index.js';
import type { CatalogueTool, Json, Plan, PlanNode, PlanStep } from '../index.js';

const tool = (rest: Partial<CatalogueTool> & { name: string }): [string, CatalogueTool] => [
  `${rest.name}@1`,
  { version: '1', policy: 'pure', inputSchema: {}, outputSchema: {}, timeoutMs: 10_000, ...rest },
];

const catalogue = new Map([
  tool({
    name: 'read',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, lines: { type: 'integer' } },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        size: { type: 'integer' },
        pages: { type: 'array', items: { $ref: '#/$defs/page' } },
      },
      required: ['text'],
      additionalProperties: false,
      $defs: {
        page: { type: 'object', properties: { number: { type: 'number' } }, additionalProperties: false },
      },
    },
  }),
  tool({ name: 'any' }),
  tool({
    name: 'choose',
    inputSchema: {
      type: 'object',
      properties: { by: { anyOf: [{ type: 'string', minLength: 3 }, { type: 'null' }] }, mode: { enum: ['a', 'b'] } },
      additionalProperties: false,
    },
  }),
  tool({ name: 'pay', policy: 'keyed', keyTtlMs: 100_000, settleMs: 5_000 }),
  tool({ name: 'broken', inputSchema: { $ref: '#/$defs/missing' } }),
]);

const step = (id: string, rest: Partial<PlanStep> = {}): PlanStep => ({ id, tool: 'any@1', ...rest });
const from = ($from: string): Json => ({ $from });
const plan = (...steps: PlanNode[]): Plan => ({ kind: 'plan', steps });

/** given(plan, input).thenProblems(…): place and code of every problem, in the order of the plan. */
const given = (plan: Plan, input: Json = {}, limits = { runDeadlineMs: 60_000, startByMs: 1_000 }) => {
  const problems = validatePlan(plan, input, catalogue, limits);
  return {
    problems,
    thenProblems: (...expected: [at: string, code: string][]) =>
      expect(problems.map(({ at, code }) => [at, code])).toStrictEqual(expected),
    thenMessage: (message: string) => expect(problems.map((problem) => problem.message)).toContain(message),
  };
};

describe('a plan that may run', () => {
  it('has no problems', () =>
    given(
      {
        ...plan(
          step('a', { tool: 'read@1', args: { path: from('input.path') } }),
          step('b', { tool: 'read@1', args: { path: from('steps.a.text'), lines: from('steps.a.size') } }),
          {
            id: 'page',
            forEach: from('steps.a.pages'),
            steps: [
              step('c', { tool: 'read@1', args: { path: { $text: '{items.page.number}' }, lines: from('index') } }),
            ],
          },
          { id: 'file', forEach: from('input.files'), steps: [step('d', { args: from('item.x') })] },
        ),
        output: { pages: from('steps.page.succeeded'), text: from('steps.a.text') },
      },
      { path: 'p', files: [{ x: 1 }, { x: 2 }] },
    ).thenProblems());

  it('may have a forEach over nothing', () =>
    given(plan({ id: 'a', forEach: from('input.none'), steps: [step('b', { args: from('item.x') })] }), {
      none: [],
    }).thenProblems());
});

describe('ids', () => {
  it('are distinct in one scope', () => {
    given(plan(step('a'), step('b'), step('a'))).thenProblems(['steps[2].id', 'duplicate_id']);
    given(plan(step('a'), { id: 'b', forEach: [1], steps: [step('a')] })).thenProblems();
  });

  it('in `after` are those of the same scope', () =>
    given(
      plan(step('a', { after: ['x'] }), { id: 'b', forEach: [1], steps: [step('c', { after: ['a'] })] }),
    ).thenProblems(['steps[0].after[0]', 'unknown_after'], ['steps[1].steps[0].after[0]', 'unknown_after']));

  it('do not go round in a circle, which is named', () => {
    const circle = given(
      plan(step('a', { after: ['c'] }), step('b', { args: from('steps.a') }), step('c', { after: ['b'] }), step('d')),
    );
    circle.thenProblems(['steps[0]', 'cycle']);
    circle.thenMessage('each waits for the next: a → c → b → a');
    given(plan(step('a', { after: ['a'] }))).thenProblems(['steps[0]', 'cycle']);
  });

  it('do not go round through the steps of a forEach', () =>
    given(
      plan({ id: 'a', forEach: [1], steps: [step('x', { args: from('steps.b') })] }, step('b', { after: ['a'] })),
    ).thenMessage('each waits for the next: a → b → a'));

  it('may be names that every object has', () =>
    given(plan(step('constructor'), step('b', { args: from('steps.toString') }))).thenProblems([
      'steps[1].args',
      'unknown_reference',
    ]));
});

describe('references', () => {
  it('lead to something', () =>
    given(
      plan(
        step('a', { args: [from('steps.x'), from('item'), from('output.x'), { $text: 'a {indexes.b}' }] }),
        step('b', { args: { $from: 'input', more: 1 } }),
      ),
    ).thenProblems(
      ['steps[0].args[0]', 'unknown_reference'],
      ['steps[0].args[1]', 'unknown_reference'],
      ['steps[0].args[2]', 'malformed'],
      ['steps[0].args[3]', 'unknown_reference'],
      ['steps[1].args', 'malformed'],
    ));

  it('do not reach into the items of a forEach', () =>
    given(
      plan({ id: 'a', forEach: [1], steps: [step('inner')] }, step('b', { args: from('steps.inner') })),
    ).thenProblems(['steps[1].args', 'reference_out_of_scope']));

  it('into the input are checked against its value', () => {
    given(plan(step('a', { args: { x: from('input.x.y') } })), { x: {} }).thenProblems([
      'steps[0].args.x',
      'leads_nowhere',
    ]);
    given(plan(step('a', { args: from('input.__proto__') })), {}).thenProblems(['steps[0].args', 'leads_nowhere']);
  });

  it('into results are checked against what the tool returns', () =>
    given(
      plan(
        step('a', { tool: 'read@1', args: { path: '' } }),
        step('b', { args: [from('steps.a.nothing'), from('steps.a.text.x'), from('steps.a.pages[0].number')] }),
        step('c', { args: [from('steps.a.pages[0].nothing'), from('steps.b.whatever')] }),
      ),
    ).thenProblems(
      ['steps[1].args[0]', 'leads_nowhere'],
      ['steps[1].args[1]', 'leads_nowhere'],
      ['steps[2].args[0]', 'leads_nowhere'],
    ));

  it('in the output are those of the top level', () =>
    given({
      ...plan({ id: 'a', forEach: [1], steps: [step('b')] }),
      output: [from('steps.b'), from('item'), from('steps.a.items'), from('steps.a.x')],
    }).thenProblems(
      ['output[0]', 'reference_out_of_scope'],
      ['output[1]', 'unknown_reference'],
      ['output[3]', 'leads_nowhere'],
    ));
});

const loop = (forEach: Json, args: Json = {}) => plan({ id: 'a', forEach, steps: [step('b', { args })] });

describe('forEach', () => {
  it('needs an array', () => {
    given(loop(from('input.x')), { x: {} }).thenProblems(['steps[0].forEach', 'not_an_array']);
    given(loop({ $text: 'text' })).thenProblems(['steps[0].forEach', 'not_an_array']);
    const first = step('r', { tool: 'read@1', args: { path: '' } });
    const over = (path: string) => plan(first, { id: 'a', forEach: from(path), steps: [step('b')] });
    given(over('steps.r.text')).thenProblems(['steps[1].forEach', 'not_an_array']);
    given(over('steps.r')).thenProblems(['steps[1].forEach', 'not_an_array']);
  });

  it('tries its first items', () => {
    given(loop(from('input'), from('item.x')), [{ x: 1 }, {}]).thenProblems([
      'steps[0].steps[0].args',
      'leads_nowhere',
    ]);
    given(loop([{ x: 1 }, { x: from('input.y') }], from('item.x')), { y: 1 }).thenProblems();
    given(loop([from('input.y')], from('item.x')), { y: 1 }).thenProblems(['steps[0].steps[0].args', 'leads_nowhere']);
  });

  it('has a limit of items and of depth', () => {
    given(
      loop(from('input')),
      Array.from({ length: 100_001 }, () => 0),
    ).thenProblems(['steps[0].forEach', 'too_many_items']);
    const nested = (levels: number): PlanNode =>
      levels === 0 ? step('x') : { id: 'e', forEach: [1], steps: [nested(levels - 1)] };
    given(plan(nested(4))).thenProblems();
    given(plan(nested(5))).thenProblems(['steps[0].steps[0].steps[0].steps[0].steps[0]', 'nested_too_deep']);
  });
});

const chooses = (args: Json) => plan(step('s'), step('a', { tool: 'choose@1', args }));

const reads = (args: Json | undefined, rest: Partial<PlanStep> = {}) =>
  plan(
    step('s', { tool: 'read@1', args: { path: 'p' } }),
    step('a', { tool: 'read@1', ...(args === undefined ? {} : { args }), ...rest }),
  );

describe('arguments', () => {
  it('that are missing, unknown or of a wrong type are all told', () => {
    given(reads({ lines: 'many', other: 1 })).thenProblems(
      ['steps[1].args.path', 'argument_missing'],
      ['steps[1].args.other', 'argument_unknown'],
      ['steps[1].args.lines', 'argument_wrong'],
    );
    given(reads(undefined)).thenProblems(['steps[1].args.path', 'argument_missing']);
  });

  it('that are missing or unknown are told beside references too', () =>
    given(reads({ lines: from('steps.s.size'), other: from('steps.s.text') })).thenProblems(
      ['steps[1].args.path', 'argument_missing'],
      ['steps[1].args.other', 'argument_unknown'],
    ));

  it('that come from a result of another type are told', () => {
    const wrong = given(reads({ path: from('steps.s.size'), lines: { $text: '{steps.s.size}' } }));
    wrong.thenProblems(['steps[1].args.path', 'argument_wrong'], ['steps[1].args.lines', 'argument_wrong']);
    wrong.thenMessage('steps.s.size is "integer", not "string"');
    given(reads(from('steps.s.text'))).thenProblems(['steps[1].args', 'argument_wrong']);
  });

  it('that come from the input or an item are checked by value, and told at the reference', () => {
    given(reads({ path: from('input.x') }), { x: 7 }).thenProblems(['steps[1].args.path', 'argument_wrong']);
    const whole = given(reads(from('input')), { path: 7 });
    whole.thenProblems(['steps[1].args', 'argument_wrong']);
    whole.thenMessage('input /path must be string');
    given(
      plan({ id: 'e', forEach: ['x', 7], steps: [step('a', { tool: 'read@1', args: { path: from('item') } })] }),
    ).thenProblems(['steps[0].steps[0].args.path', 'argument_wrong']);
  });

  it('are not doubted where a later value may be right', () => {
    given(chooses({ by: from('steps.s'), mode: from('steps.s.mode') })).thenProblems();
    given(chooses({ by: 'long', mode: 'c' })).thenProblems(['steps[1].args.mode', 'argument_wrong']);
    given(chooses({ by: 7 })).thenMessage('/by must be string');
    given(chooses({ by: { $text: 'x{steps.s}' } })).thenProblems();
  });

  it('cannot be checked with a schema that is broken', () =>
    given(plan(step('a', { tool: 'broken@1' }))).thenProblems(['steps[0].args', 'unusable_schema']));

  it('of an unknown tool are still looked at for references', () =>
    given(plan(step('a', { tool: 'none@1', args: from('steps.x') }))).thenProblems(
      ['steps[0].tool', 'unknown_tool'],
      ['steps[0].args', 'unknown_reference'],
    ));
});

describe('the use of tools', () => {
  it('stays within the time-out of the tool', () => {
    given(plan(step('a', { timeoutMs: 10_001 }))).thenProblems(['steps[0].timeoutMs', 'timeout_too_long']);
    given(plan(step('a', { timeoutMs: 10_000 }))).thenProblems();
  });

  it('needs keys that outlive the run', () => {
    const pays = plan({ id: 'e', forEach: [1, 2], steps: [step('a', { tool: 'pay@1' })] });
    given(pays, {}, { runDeadlineMs: 99_999, startByMs: 1_000 }).thenProblems();
    given(pays, {}, { runDeadlineMs: 100_000, startByMs: 1_000 }).thenProblems([
      'steps[0].steps[0].tool',
      'key_time_too_short',
    ]);
    given(pays, {}, { runDeadlineMs: 1_000, startByMs: 85_000 }).thenMessage(
      'pay@1 remembers a key for 100000 ms, which is not longer than the time one attempt may take, 100000 ms',
    );
  });
});
