import { runTool } from '@holdfast/sdk';
import { localTool } from '../section.fixture.js';
import { Sink } from '../sink.fixture.js';

const sink = new Sink();
beforeAll(() => sink.open());
afterAll(() => sink.close());
beforeEach(() => sink.clear());

const make = (fields: string) => localTool(sink.origin, fields);

describe('what is sent', () => {
  const input = `input:
  required: [order]
  properties: { order: { type: string }, tags: { type: array }, note: { type: string }, amount: {} }
`;

  it('is filled in from the arguments, each where it is named', async () => {
    const tool = await make(`method: PUT
url: ORIGIN/orders/{args.order}?kind=a%20b&by={args.order}
query: { tag: { $from: args.tags }, note: { $from: args.note }, fixed: 7 }
headers: { X-Order: 'order {args.order}', X-Note: { $from: args.note }, X-Brace: '{{x}' }
body: { json: { amount: { $from: args.amount }, note: { $from: args.note }, text: { $text: '{args.order}!' }, as: '{args.order}', kept: { $literal: { $from: x } } } }
policy: repeatable
${input}`);
    await runTool(tool, { order: 'a/b', tags: ['x y', '&'], amount: { minor: 5 } });
    const [seen] = sink.seen;
    expect(`${seen?.method} ${seen?.url}`).toBe('PUT /orders/a%2Fb?kind=a%20b&by=a%2Fb&tag=x%20y&tag=%26&fixed=7');
    expect(seen?.headers).toMatchObject({
      'x-order': 'order a/b',
      'x-brace': '{x}',
      'content-type': 'application/json',
    });
    expect(seen?.headers).not.toHaveProperty('x-note');
    expect(JSON.parse(seen?.body ?? '')).toEqual({
      amount: { minor: 5 },
      text: 'a/b!',
      as: '{args.order}',
      kept: { $from: 'x' },
    });
  });

  it('may be a form or a text', async () => {
    const form = await make(
      `method: POST\nurl: ORIGIN/\nbody: { form: { a: '{args.order}', b: { $from: args.tags } } }\npolicy: repeatable\n${input}`,
    );
    await runTool(form, { order: 'x&y=z', tags: [1, 2] });
    const text = await make(
      `method: POST\nurl: ORIGIN/\nbody: { text: 'order {args.order}', contentType: text/csv }\npolicy: repeatable\n${input}`,
    );
    await runTool(text, { order: 'a' });
    expect(sink.seen.map(({ body, headers }) => [headers['content-type'], body])).toEqual([
      ['application/x-www-form-urlencoded', 'a=x%26y%3Dz&b=1&b=2'],
      ['text/csv', 'order a'],
    ]);
  });

  it.each([
    ['bearer: { $env: HTTP_SPEC_SECRET }', { authorization: 'Bearer sec{ret}' }],
    ['basic: { user: ann, password: { $env: HTTP_SPEC_SECRET } }', { authorization: 'Basic YW5uOnNlY3tyZXR9' }],
    ["header: { name: X-Key, value: 'Key ${env:HTTP_SPEC_SECRET}' }", { 'x-key': 'Key sec{ret}' }],
  ])('is authenticated by %s', async (auth, headers) => {
    process.env['HTTP_SPEC_SECRET'] = 'sec{ret}';
    const tool = await make(
      `method: GET\nurl: ORIGIN/\npolicy: pure\nauth: { ${auth} }\nheaders: { X-Too: 'a \${env:HTTP_SPEC_SECRET}' }`,
    );
    delete process.env['HTTP_SPEC_SECRET'];
    sink.answer = ({ headers: { authorization } }, response) => void response.end(JSON.stringify({ authorization }));
    const { ...ended } = await runTool(tool, {});
    expect(sink.seen[0]?.headers).toMatchObject({ ...headers, 'x-too': 'a sec{ret}' });
    expect(JSON.stringify(ended)).not.toContain('sec{ret}');
  });

  it.each([
    ['a line end in a header', { order: 'a\r\nX-Evil: 1' }],
    ['a list in a header', { order: ['a'] }],
  ])('with %s is nothing: the call has failed for good', async (_, args) => {
    const tool = await make(
      `method: POST\nurl: ORIGIN/\nheaders: { X-Order: '{args.order}' }\npolicy: unprotected\ninput: { properties: { order: {} } }`,
    );
    expect(await runTool(tool, args)).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: { code: 'invalid_request' },
    });
    expect(sink.seen).toEqual([]);
  });

  it('is nothing where a value would lead to another path, or the body is too large', async () => {
    const tool = await make(
      `method: DELETE\nurl: ORIGIN/files/{args.x}\npolicy: unprotected\nlimits: { request: 5 }\nbody: { text: '{args.x}' }\ninput: { properties: { x: {} } }`,
    );
    expect(await runTool(tool, { x: '../users' })).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: { message: expect.stringMatching(/nothing was sent: args\.x holds \. or \.\./) as unknown },
    });
    expect(await runTool(tool, { x: '123456' })).toMatchObject({
      failure: { message: 'nothing was sent: the body has 6 bytes, and limits.request is 5' },
    });
    expect(sink.seen).toEqual([]);
  });
});
