import { answerBody, choiceFollows, choiceWords, needsOf, silenceWords, type Given } from './answering.js';
import { approvedCall } from './approved-call.js';
import { fieldsOf } from './form-model.js';
import { draftKey, valueOf } from './form-value.js';

const schema = {
  type: 'object',
  required: ['limit', 'who'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 10 },
    mode: { enum: ['fast', 3, null], title: 'How' },
    quick: { type: 'boolean' },
    who: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', maxLength: 5 }, zip: { type: 'string' } },
    },
    pages: { type: 'array', items: { type: 'integer' } },
  },
};
const fill = (form: unknown, typed: Readonly<Record<string, string>>) => {
  const draft = Object.fromEntries(Object.entries(typed).map(([path, text]) => [path.replaceAll('.', '\u0000'), text]));
  return valueOf(fieldsOf(form), draft);
};

describe('a form', () => {
  it('has a field for each value, as deep as objects go', () => {
    expect(fieldsOf(schema).map(({ kind, label, required, path }) => [path.join('.'), kind, label, required])).toEqual([
      ['limit', 'number', 'limit', true],
      ['mode', 'choice', 'How', false],
      ['quick', 'yes_no', 'quick', false],
      ['who.city', 'text', 'who.city', true],
      ['who.zip', 'text', 'who.zip', false],
      ['pages', 'json', 'pages', false],
    ]);
  });

  it('gives exactly what was filled in, with the types of the schema', () => {
    expect(fill(schema, { limit: '3', mode: '3', quick: 'false', 'who.city': 'Wien', pages: '[1, 2]' })).toEqual({
      ok: true,
      value: { limit: 3, mode: 3, quick: false, who: { city: 'Wien' }, pages: [1, 2] },
    });
  });

  it('leaves out what was not said', () => {
    expect(fill(schema, { limit: '1', 'who.city': 'Linz' })).toEqual({
      ok: true,
      value: { limit: 1, who: { city: 'Linz' } },
    });
  });

  it('says of each field what is wrong', () => {
    expect(fill(schema, { limit: '11', 'who.city': 'Klagenfurt', pages: '[1' })).toMatchObject({
      ok: false,
      problems: {
        limit: 'Not above 10',
        ['who\u0000city']: 'At most 5 characters are allowed',
        pages: expect.stringContaining('no JSON') as string,
      },
    });
    expect(fill(schema, { limit: '2.5' })).toMatchObject({
      problems: { limit: 'A whole number is needed', ['who\u0000city']: 'This is needed' },
    });
  });

  it.each([
    [{ type: 'integer' }, '7', 7],
    [{ type: 'string' }, ' ', ' '],
    [{ enum: ['a', 'b'] }, '"b"', 'b'],
    [{ const: { x: 1 } }, '{"x":1}', { x: 1 }],
    [{ type: 'boolean' }, 'true', true],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, 'null', null],
    [{}, '{"free":true}', { free: true }],
    [true, '5', 5],
  ])('of one value, %j, is a field of its own', (form, typed, value) => {
    const [field] = fieldsOf(form);
    expect(valueOf(fieldsOf(form), field === undefined ? {} : { [draftKey(field)]: typed })).toEqual({
      ok: true,
      value,
    });
  });

  it('answers by JSON what a form of fields could not say', () => {
    const either = { type: 'object', properties: { a: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(fieldsOf(either)).toMatchObject([{ kind: 'json', path: [] }]);
  });

  it('takes a name of the language for a name', () => {
    const odd = { type: 'object', properties: JSON.parse('{"__proto__": {"type": "integer"}}') as object };
    const filled = fill(odd, { ['__proto__']: '1' });
    expect(filled.ok && JSON.stringify(filled.value)).toBe('{"__proto__":1}');
  });
});

const given = (more: Partial<Given>): Given => ({
  choice: 'retry',
  note: '',
  draft: {},
  json: '',
  lookedAt: 5,
  ...more,
});
const asked = (kind: string, form: Record<string, unknown> | null = null) =>
  ({ kind, schema: form, seq: 812 }) as Parameters<typeof answerBody>[0];

describe('an answer', () => {
  it('names the question by its number, and says nothing that was not said', () => {
    expect(answerBody(asked('quarantine'), given({}))).toEqual({
      ok: true,
      body: { escalation: 812, choice: 'retry' },
    });
    expect(answerBody(asked('approval'), given({ choice: 'approve', note: ' seen ' }))).toEqual({
      ok: true,
      body: { escalation: 812, choice: 'approve', note: 'seen' },
    });
  });

  it('about a doubt says when somebody looked, and brings the result where it was applied', () => {
    expect(answerBody(asked('doubt'), given({ choice: 'absent' }))).toEqual({
      ok: true,
      body: { escalation: 812, choice: 'absent', lookedAt: 5 },
    });
    expect(answerBody(asked('doubt'), given({ choice: 'applied', json: '{"id": 7}' }))).toEqual({
      ok: true,
      body: { escalation: 812, choice: 'applied', result: { id: 7 }, lookedAt: 5 },
    });
    expect(answerBody(asked('doubt'), given({ choice: 'applied', json: '{' }))).toMatchObject({ ok: false });
  });

  it('of a plan brings the value in its form', () => {
    const form = { type: 'object', properties: { limit: { type: 'integer' } } };
    expect(answerBody(asked('question', form), given({ choice: 'answer', draft: { limit: '3' } }))).toEqual({
      ok: true,
      body: { escalation: 812, choice: 'answer', value: { limit: 3 } },
    });
    expect(needsOf(asked('question', form), 'no')).toEqual({ with: 'nothing' });
  });

  it('that raises a budget brings it', () => {
    expect(answerBody(asked('budget'), given({ choice: 'raise', json: '{"effects": 200}' }))).toMatchObject({
      ok: true,
      body: { budget: { effects: 200 } },
    });
    expect(answerBody(asked('budget'), given({ choice: 'raise' }))).toMatchObject({ ok: false });
  });

  it('is offered in words, those of a plan as they stand', () => {
    expect([choiceWords('doubt', 'applied'), choiceWords('question', 'applied'), choiceWords('loop', 'other')]).toEqual(
      ['It happened', 'applied', 'other'],
    );
    expect(choiceFollows('approval', 'approve')).toContain('once');
    expect(choiceFollows('question', 'end')).toBeNull();
    expect([silenceWords('end'), silenceWords('fail'), silenceWords('"no"')]).toEqual([
      'the run ends as “escalation expired”',
      'the step fails and the run goes on as its plan says',
      'it counts as answered: "no"',
    ]);
  });
});

describe('what is approved', () => {
  it('is the tool with the arguments that are shown', () => {
    const approves = { tool: 'pay@2', toolHash: 't', argsHash: 'a' };
    expect(approvedCall({ approves, context: { tool: 'pay@2', args: { amount: '5' } } })).toEqual({
      ...approves,
      args: { amount: '5' },
    });
    expect(approvedCall({ approves: { ...approves, args: { amount: '6' } }, context: null })).toMatchObject({
      args: { amount: '6' },
    });
    expect(approvedCall({ approves: null, context: { tool: 'x', args: {} } })).toBeNull();
  });
});
