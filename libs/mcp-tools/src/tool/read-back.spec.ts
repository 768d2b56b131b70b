import { sectionSchema, type ReadBack, type Rule } from '../section/section.js';
import type { Answer } from '../server/connection.js';
import { judge } from './read-back.js';

const values = { args: { path: '/a', content: 'new' }, sent: { path: '/a' }, key: 'r/s', marker: 'hf0123' };
const text = (said: string, more: Partial<Answer> = {}): Answer => ({
  content: [{ type: 'text', text: said }],
  ...more,
});
const readBack = (rules: readonly Rule[], more: Partial<ReadBack> = {}): ReadBack => ({
  tool: 'read',
  args: {},
  rules: [...rules],
  otherwise: 'unknown',
  ...more,
});
const verdictOf = (rule: Omit<Rule, 'verdict'>, answer: Answer) =>
  judge(readBack([{ ...rule, verdict: 'applied' }]), { server: 's', asked: {}, answer, values }).verdict;

describe('a rule of a read-back', () => {
  const holding: readonly (readonly [Omit<Rule, 'verdict'>, Answer])[] = [
    [{ equals: '{args.content}' }, text('new')],
    [{ equals: '' }, text('')],
    [{ contains: '{marker}' }, text('issue 7 (hf0123)')],
    [{ lacks: '{marker}' }, text('nothing')],
    [{ error: 'ENOENT' }, text('ENOENT: no such file', { isError: true })],
    [{ at: 'json.total', equals: 0 }, text('{"total":0}')],
    [{ at: 'json.items', equals: [] }, text('{"items":[]}')],
    [{ at: 'json.items[0]', missing: true }, text('{"items":[]}')],
    [{ at: 'structured.a', equals: { b: [1, null] } }, text('', { structuredContent: { a: { b: [1, null] } } })],
    [{ at: 'structured.n', contains: '7' }, text('', { structuredContent: { n: 175 } })],
  ];
  it.each(holding)('%j holds', (rule, answer) => expect(verdictOf(rule, answer)).toBe('applied'));

  const failing: readonly (readonly [Omit<Rule, 'verdict'>, Answer])[] = [
    [{ equals: '{args.content}' }, text('newer')],
    [{ equals: '{args.content}' }, text('new\n')],
    [{ equals: '{args.none}' }, text('')],
    // An empty text is in every text.
    [{ contains: '' }, text('anything')],
    [{ lacks: '' }, text('anything')],
    // What an error says is no state of the world.
    [{ lacks: '{marker}' }, text('try later', { isError: true })],
    [{ contains: '{marker}' }, text('no such marker: hf0123', { isError: true })],
    [{ at: 'json.items[0]', missing: true }, text('not found', { isError: true })],
    // Nothing can be missing from what is not there at all.
    [{ at: 'json.items[0]', missing: true }, text('<html>')],
    [{ at: 'structured.items', missing: true }, text('')],
    [{ at: 'json.total', equals: 0 }, text('{"total":"0"}')],
    [{ at: 'json.total', lacks: '7' }, text('<html>')],
    [{ error: 'ENOENT' }, text('ENOENT')],
    // The protocol's word about the question says nothing of what was asked about.
    [{ error: 'not found' }, text('MCP error -32602: Tool look not found', { isError: true })],
    [{ at: 'structured.a', equals: [] }, text('', { structuredContent: { a: {} } })],
  ];
  it.each(failing)('%j does not hold', (rule, answer) => expect(verdictOf(rule, answer)).toBe('unknown'));
});

describe('the verdict of a read-back', () => {
  const rules: readonly Rule[] = [
    { contains: '{marker}', verdict: 'applied' },
    { at: 'json.total', equals: 0, verdict: 'absent' },
  ];
  const judged = (answer: Answer, more: Partial<ReadBack> = {}) =>
    judge(readBack(rules, more), { server: 's', asked: { q: 'hf0123' }, answer, values });

  it('is that of the first rule that holds, with what was asked and found as evidence', () => {
    expect(judged(text('{"total":0,"q":"hf0123"}'))).toMatchObject({ verdict: 'applied' });
    expect(judged(text('{"total":0}'))).toEqual({
      verdict: 'absent',
      evidence: {
        summary: 'asked s by read: rule 2 holds (json.total equals 0), so absent',
        details: {
          server: 's',
          tool: 'read',
          arguments: '{"q":"hf0123"}',
          answer: {
            error: false,
            bytes: 11,
            sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
            beginning: '{"total":0}',
          },
          rule: 2,
        },
      },
    });
  });

  it('is what is said for otherwise where no rule holds', () => {
    expect(judged(text('hm'))).toMatchObject({
      verdict: 'unknown',
      evidence: { summary: expect.stringContaining('no rule') },
    });
    expect(judged(text('hm'), { otherwise: 'absent' })).toMatchObject({ verdict: 'absent' });
  });

  it('recovers a result, which says that it was recovered', () => {
    const answer = text('{"id":7,"mark":"hf0123"}');
    expect(judged(answer)).toMatchObject({ verdict: 'applied', result: { recovered: { by: 'read' } } });
    expect(judged(answer, { result: { id: '{answer.json.id}', at: '{args.path}' } })).toMatchObject({
      verdict: 'applied',
      result: { structured: { id: 7, at: '/a' }, recovered: { by: 'read' } },
    });
    expect(judged(answer, { result: { id: '{answer.json.none}' } })).toMatchObject({ verdict: 'unknown' });
    expect(judged(answer, { result: '{answer.text}' })).toMatchObject({ verdict: 'unknown' });
  });

  it('is bounded, however much was found', () => {
    const { evidence } = judged(text(`hf0123 ${'x'.repeat(1_000_000)}`));
    expect(JSON.stringify(evidence).length).toBeLessThan(4_000);
    expect(evidence.details).toMatchObject({ answer: { bytes: 1_000_007 } });
  });
});

describe('a section', () => {
  const problemsOf = (server: unknown, name = 'notes'): readonly string[] => {
    const checked = sectionSchema.safeParse({ [name]: server });
    return checked.success ? [] : checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  };
  const base = { command: 'notes', version: '1' };
  const tool = (settings: object) => ({ ...base, tools: { write: settings } });

  it('with a server that is started or reached is good', () => {
    expect(problemsOf(base)).toEqual([]);
    expect(
      problemsOf({ url: 'https://notes.example/mcp', version: '1', headers: { 'X-Key': { $env: 'KEY' } } }),
    ).toEqual([]);
  });

  it.each([
    [{ version: '1' }, 'needs either command (a program to start) or url'],
    [{ ...base, url: 'https://a.example' }, 'needs either command'],
    [{ ...base, comand: 'x' }, 'Unrecognized key: "comand"'],
    [{ url: 'ftp://a.example', version: '1' }, 'notes.url: must be an http: or https: URL'],
    [{ url: 'https://a:b@c.example', version: '1' }, 'notes.url: must not hold a user or password'],
    [
      { url: 'https://a.example', version: '1', headers: { Authorization: 'Bearer abc' } },
      'Authorization looks like a credential',
    ],
    [{ ...base, env: { API_KEY: 'abc' } }, 'notes.env: API_KEY looks like a credential'],
    [tool({ policy: 'verifiable' }), 'notes.tools.write: verifiable needs readBack'],
    [tool({ policy: 'keyed' }), 'notes.tools.write: keyed needs keyArgument'],
    [tool({ policy: 'unprotected', keyTtlMs: 5 }), 'keyTtlMs is for keyed, and this is unprotected'],
    [
      tool({ policy: 'pure', readBack: { tool: 'r', rules: [{ equals: '', verdict: 'absent' }] } }),
      'readBack is for verifiable',
    ],
    [tool({ policy: 'unprotected', marker: { argument: 'body', text: 'x' } }), '{marker}'],
    [
      tool({ policy: 'verifiable', settleMs: 1, readBack: { tool: 'r', rules: [{ verdict: 'absent' }] } }),
      'notes.tools.write.readBack.rules.0: needs exactly one of equals, contains, lacks, missing, error',
    ],
    [
      tool({ policy: 'verifiable', settleMs: 1, readBack: { tool: 'r', args: { a: '{path}' }, rules: [] } }),
      'notes.tools.write.readBack.args: {path} must begin with args, sent, key, marker',
    ],
    [
      tool({ policy: 'verifiable', settleMs: 1, readBack: { tool: 'r', otherwise: 'applied', rules: [] } }),
      'notes.tools.write.readBack.otherwise',
    ],
  ])('%j is refused with its place', (server, problem) => {
    expect(problemsOf(server).join('\n')).toContain(problem);
  });

  it('names servers as tools can be named after them', () => {
    expect(problemsOf(base, 'a.b').join()).toContain('a server is named by a letter');
  });
});
