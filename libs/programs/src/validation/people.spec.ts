import { answerProblem, approvalProblems, parsePlan, validatePlan } from '../index.js';
import type { CatalogueTool, Json, JsonSchema } from '../index.js';

const tool = (name: string, policy: CatalogueTool['policy']): [string, CatalogueTool] => [
  `${name}@1`,
  { name, version: '1', policy, inputSchema: {}, outputSchema: {}, timeoutMs: 1_000 },
];
const catalogue = new Map([tool('look', 'pure'), tool('model', 'repeatable'), tool('pay', 'verifiable')]);
const limits = { runDeadlineMs: 60_000, startByMs: 1_000 };

/** Place and code of all that is wrong with a plan of these steps. */
const problems = (steps: readonly Json[], more: object = {}): readonly string[] => {
  const parsed = parsePlan({ kind: 'plan', steps, ...more });
  const found =
    'problems' in parsed ? parsed.problems : validatePlan(parsed.plan, { name: 'x', n: 1 }, catalogue, limits);
  return found.map(({ at, code }) => `${at} ${code}`);
};
const ask = (id: string, more: object = { choices: ['yes', 'no'] }, rest: object = {}): Json =>
  ({ id, ask: { question: 'Go on?', ...more }, ...rest }) as Json;

describe('a question in a plan', () => {
  it('has choices, or the schema of an answer, and may use what came before', () => {
    expect(
      problems([
        { id: 'a', tool: 'look@1' },
        ask('q', { question: { $text: 'Take {steps.a}?' }, context: { seen: { $from: 'steps.a' } }, choices: ['yes'] }),
        ask('v', { schema: { type: 'object', properties: { n: { type: 'integer' } } } }),
        { id: 'b', tool: 'look@1', args: { choice: { $from: 'steps.q' }, n: { $from: 'steps.v.n' } } },
      ]),
    ).toEqual([]);
  });

  it.each([
    ['neither', {}, ['steps[0].ask malformed']],
    ['both', { choices: ['a'], schema: {} }, ['steps[0].ask malformed']],
    ['a choice twice', { choices: ['a', 'a'] }, ['steps[0].ask.choices[1] malformed']],
    ['no choice', { choices: [] }, ['steps[0].ask.choices malformed']],
    [
      'a ladder out of order',
      {
        choices: ['a'],
        assignees: [
          { to: 'x', afterMs: 2 },
          { to: 'y', afterMs: 1 },
        ],
      },
      ['steps[0].ask.assignees malformed'],
    ],
    ['something unknown', { choices: ['a'], colour: 'red' }, ['steps[0].ask.colour malformed']],
    [
      'a reference to nothing',
      { question: { $from: 'steps.none' }, choices: ['a'] },
      ['steps[0].ask.question unknown_reference'],
    ],
    [
      'a question that is no text',
      { question: { $from: 'input.n' }, choices: ['a'] },
      ['steps[0].ask.question argument_wrong'],
    ],
    [
      'a context from nowhere',
      { context: { $from: 'input.none' }, choices: ['a'] },
      ['steps[0].ask.context leads_nowhere'],
    ],
    ['an unsound schema', { schema: { type: 'text' } }, ['steps[0].ask.schema unusable_schema']],
    ['a misspelt keyword', { schema: { tpye: 'string' } }, ['steps[0].ask.schema unusable_schema']],
    ['a pattern', { schema: { type: 'string', pattern: '(a+)+$' } }, ['steps[0].ask.schema unusable_schema']],
    ['a schema from elsewhere', { schema: { $ref: 'https://example.org/s' } }, ['steps[0].ask.schema unusable_schema']],
    [
      'a huge schema',
      { schema: { enum: Array.from({ length: 5_000 }, (_, n) => n) } },
      ['steps[0].ask.schema unusable_schema'],
    ],
    [
      'silence that is no choice',
      { choices: ['a'], onSilence: { answer: 'b' } },
      ['steps[0].ask.onSilence.answer argument_wrong'],
    ],
    [
      'a huge silence',
      { schema: {}, onSilence: { answer: 'x'.repeat(16_384) } },
      ['steps[0].ask.onSilence.answer argument_wrong'],
    ],
    [
      'silence of another form',
      { schema: { type: 'integer' }, onSilence: { answer: 'b' } },
      ['steps[0].ask.onSilence.answer argument_wrong'],
    ],
  ])('is refused with %s, at its place', (_, more, expected) => expect(problems([ask('q', more)])).toEqual(expected));

  it('gives what a later step refers to: one of its choices, or what its schema says', () => {
    const uses = (from: string): Json => ({ id: 'b', tool: 'look@1', args: { x: { $from: from } } });
    expect(problems([ask('q'), uses('steps.q.more')])).toEqual(['steps[1].args.x leads_nowhere']);
    const schema = { type: 'object', properties: { n: {} }, additionalProperties: false };
    expect(problems([ask('q', { schema }), uses('steps.q.m')])).toEqual(['steps[1].args.x leads_nowhere']);
  });

  it('cannot have silence for an answer where something follows that cannot be undone', () => {
    const silent = { choices: ['yes', 'no'], onSilence: { answer: 'yes' } };
    const after = (id: string, name: string, on: string): Json => ({ id, tool: `${name}@1`, after: [on] });
    expect(problems([ask('q', silent), after('a', 'look', 'q'), after('b', 'model', 'a')])).toEqual([]);
    expect(problems([ask('q', silent), { id: 'p', tool: 'pay@1' }])).toEqual([]);
    const refused = ['steps[0].ask.onSilence silence_goes_on'];
    expect(problems([ask('q', silent), after('a', 'look', 'q'), after('p', 'pay', 'a')])).toEqual(refused);
    const inside = { id: 'e', forEach: [1], steps: [{ id: 'p', tool: 'pay@1' }], after: ['q'] };
    expect(problems([ask('q', silent), inside])).toEqual(refused);
    const around = { id: 'e', forEach: [1], steps: [ask('q', silent)] };
    expect(problems([around, after('p', 'pay', 'e')])).toEqual(['steps[0].steps[0].ask.onSilence silence_goes_on']);
    expect(problems([ask('q', { choices: ['y'], onSilence: 'fail' }), after('p', 'pay', 'q')])).toEqual([]);
  });
});

describe('rules for approvals', () => {
  it('name a tool that is there: a rule about none would let through what it was made to stop', () => {
    const steps = [{ id: 'p', tool: 'pay@1' }];
    expect(problems(steps, { approvals: [{ tool: 'pay' }, { tool: 'pay@1' }, { tool: 'model' }] })).toEqual([]);
    expect(problems(steps, { approvals: [{ tool: 'pay' }, { tool: 'pya' }] })).toEqual([
      'approvals[1].tool unknown_tool',
    ]);
    expect(approvalProblems([{ tool: 'pay@2' }], 'approvals', catalogue)).toMatchObject([{ code: 'unknown_tool' }]);
  });

  it('compare with little: each call is held against them', () => {
    const when = (size: number) => [
      { path: 'a', is: 'equals', value: 1 },
      { path: 'a', is: 'matches', value: 'x'.repeat(size) },
    ];
    const of = (size: number) =>
      problems([{ id: 'p', tool: 'pay@1' }], { approvals: [{ tool: 'pay', when: when(size) }] });
    expect(of(1_022)).toEqual([]);
    expect(of(1_023)).toEqual(['approvals[0].when[1].value malformed']);
  });

  it('are refused at their place when they have not the form', () =>
    expect(
      problems([{ id: 'p', tool: 'pay@1' }], {
        approvals: [{ tool: 'pay', when: [{ path: 'a', is: 'like', value: 1 }] }],
      }),
    ).toEqual(['approvals[0].when[0].is malformed']));
});

describe('an answer', () => {
  it('fits the schema that was asked for', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 } },
      required: ['n'],
      additionalProperties: false,
    };
    expect(answerProblem(schema, { n: 1 })).toBeNull();
    expect(answerProblem(schema, { n: 0 })).toBe('/n must be >= 1');
    expect(answerProblem(schema, {})).toBe("the answer must have required property 'n'");
    expect(answerProblem(schema, { n: 1, m: 2 })).toBe('the answer must NOT have additional properties');
  });
});
