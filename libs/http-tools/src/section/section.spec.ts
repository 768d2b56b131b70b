import { toolsOf } from '../section.fixture.js';

const good = {
  name: 'a',
  version: '1',
  timeoutMs: 1000,
  method: 'POST',
  url: 'https://api.example/things',
  policy: 'unprotected',
};
const section = (changes: object): string => JSON.stringify({ tools: [{ ...good, ...changes }] });
const input = { type: 'object', required: ['x'], properties: { x: {}, y: {} } };
const lookup = {
  url: 'https://api.example/things?x={args.x}',
  rules: [{ when: { status: 404 }, verdict: 'absent' }],
};
const verifiable = { policy: 'verifiable', settleMs: 1, input, lookup };
const keyed = { policy: 'keyed', keyTtlMs: 86_400_000, input };

describe('a section of HTTP tools', () => {
  it.each([
    {},
    verifiable,
    keyed,
    { ...keyed, lookup },
    { method: 'GET', policy: 'pure' },
    { policy: 'pure', force: true },
    { approvals: [{ when: [{ path: 'x', is: 'above', value: 5 }] }], input },
  ])('takes %j', async (changes) => expect(await toolsOf(section(changes))).toHaveLength(1));

  it.each<[object, string]>([
    [{ polcy: 'pure' }, 'http.tools[0].polcy: is not known here'],
    [{ policy: undefined }, 'http.tools[0].policy: '],
    [{ approvals: [{ tool: 'a' }] }, 'http.tools[0].approvals[0].tool: is not known here'],
    [{ policy: 'sometimes' }, 'http.tools[0].policy: '],
    [{ version: 1 }, 'http.tools[0].version: must be a text: version: "1"'],
    [{ method: 'post' }, 'http.tools[0].method: '],
    [{ name: 'a b' }, 'tool a b@1: name must start with a letter'],
    [{ url: 'https://{args.host}/', input }, 'http.tools[0].url: must begin with http'],
    [
      { url: 'https://api.example/{args.z}', input },
      'http.tools[0]: args.z is not declared: input.properties has no z',
    ],
    [{ body: { json: { a: { $from: 'args.z' } } } }, 'args.z is not declared'],
    [
      { body: { json: { a: { $from: 'argz.x' } } } },
      'http.tools[0].body.json.a: argz.x is no reference: it must begin with args, key',
    ],
    [
      { body: { json: { a: { $from: 'args.x', b: 1 } } }, input },
      'http.tools[0].body.json.a: nothing may stand beside $from but $else',
    ],
    [{ body: { json: { a: { $pointer: '/a' } } } }, '$pointer is for answers; arguments are named by $from'],
    [{ body: { json: 1, text: 'x' } }, 'http.tools[0].body'],
    [{ method: 'GET', body: { text: 'x' } }, 'http.tools[0].body: a GET request has no body'],
    [{ headers: { Host: 'x' } }, 'http.tools[0].headers.Host: Host is set by the runtime'],
    [{ headers: { 'a b': 'x' } }, 'is no name of a header'],
    [
      { input: { type: 'object', properties: { x: { type: 'nonsense' } } } },
      'http.tools[0].input: is no JSON Schema that can be used',
    ],
    [{ output: { type: 'nonsense' } }, 'http.tools[0].output: is no JSON Schema that can be used'],
    [{ policy: 'pure' }, 'http.tools[0].policy: POST may change something, so it is not pure'],
    [{ policy: 'repeatable', force: true }, 'http.tools[0].force: is for pure alone'],
    [{ policy: 'repeatable', settleMs: 5 }, 'http.tools[0].settleMs: is for policies with effects'],
    [{ keyTtlMs: 5 }, 'http.tools[0].keyTtlMs: is for keyed alone'],
    [{ key: { from: ['/x'] }, input }, 'http.tools[0].key: is for keyed and verifiable'],
    [
      { ...keyed, headers: { 'idempotency-key': 'x' } },
      'http.tools[0].keyHeader: idempotency-key is sent by the policy',
    ],
    [{ headers: { A: '1', a: '2' } }, 'http.tools[0].headers.a: is given twice'],
    [{ limits: { answer: 0 } }, 'http.tools[0].limits.answer: '],
    [{ ...keyed, keyTtlMs: undefined }, 'is keyed; add keyTtlMs'],
    [{ ...keyed, keyTtlMs: 5 }, 'a key must be remembered for longer'],
    [{ ...keyed, keyHeader: null }, 'http.tools[0].keyHeader: is null, so {key} must stand somewhere'],
    [{ ...keyed, key: { from: ['order'] } }, 'http.tools[0].key.from[0]: order is no JSON Pointer'],
    [{ ...keyed, key: { from: ['/z'] } }, 'http.tools[0].key.from: /z is not declared'],
    [{ ...keyed, key: { from: ['/y'] } }, 'http.tools[0].key.from: /y must be required by input'],
    [{ ...verifiable, lookup: undefined }, 'http.tools[0]: is verifiable; add lookup'],
    [{ ...verifiable, settleMs: undefined }, 'is verifiable; add settleMs'],
    [{ lookup, input }, 'http.tools[0].lookup: is for verifiable and keyed'],
    [
      { ...verifiable, lookup: { ...lookup, url: 'https://api.example/' } },
      'http.tools[0].lookup: asks the same for every call',
    ],
    [
      { ...verifiable, lookup: { ...lookup, url: 'https://api.example/{key}' } },
      'http.tools[0].lookup: asks by the key, which the request itself does not send',
    ],
    [{ ...verifiable, lookup: { ...lookup, method: 'DELETE' } }, 'http.tools[0].lookup.method: '],
    [{ ...verifiable, lookup: { ...lookup, rules: [] } }, 'http.tools[0].lookup.rules: '],
    [
      { ...verifiable, lookup: { ...lookup, rules: [{ when: { status: 503 }, verdict: 'absent' }] } },
      'http.tools[0].lookup.rules[0].when.status: 503 does not show that the effect is absent',
    ],
    [
      { ...verifiable, lookup: { ...lookup, rules: [{ when: { status: '4xx' }, verdict: 'absent' }] } },
      '4xx does not show',
    ],
    [
      { ...verifiable, lookup: { ...lookup, rules: [{ when: { status: [404, 401] }, verdict: 'absent' }] } },
      '401 does not show',
    ],
    [
      { ...verifiable, lookup: { ...lookup, rules: [{ when: {}, verdict: 'absent', record: '/a' }] } },
      'http.tools[0].lookup.rules[0]: record and result belong to applied',
    ],
    [
      { answers: [{ when: { exists: true }, means: 'failed' }] },
      'http.tools[0].answers[0].when.exists: needs a pointer beside it',
    ],
    [{ answers: [{ when: { status: 'four' }, means: 'failed' }] }, 'http.tools[0].answers[0].when.status: '],
  ])('refuses %j with its place', async (changes, message) => {
    await expect(toolsOf(section(changes))).rejects.toThrow(message);
    await expect(toolsOf(section(changes))).rejects.toMatchObject({ name: 'InvalidTool' });
  });

  it.each<[object, string]>([
    [
      { auth: { bearer: 'sk_live_4242424242' } },
      'http.tools[0].auth.bearer: must not stand in the file: write { $env: NAME }',
    ],
    [
      { auth: { basic: { user: 'ann', password: 'hunter22' } } },
      'http.tools[0].auth.basic.password: must not stand in the file',
    ],
    [
      { auth: { header: { name: 'X-Key', value: 'Key 4242424242' } } },
      'http.tools[0].auth.header.value: must not stand in the file',
    ],
    [
      { headers: { Authorization: 'Bearer sk_live_4242424242' } },
      'http.tools[0].headers.Authorization: looks like a credential',
    ],
    [{ headers: { 'X-Api-Key': '4242424242' } }, 'http.tools[0].headers.X-Api-Key: looks like a credential'],
    [{ query: { access_token: '4242424242' } }, 'http.tools[0].query.access_token: looks like a credential'],
    [
      { body: { form: { client_secret: '4242424242' } } },
      'http.tools[0].body.form.client_secret: looks like a credential',
    ],
    [
      { url: 'https://api.example/?api_key=4242424242' },
      'http.tools[0].url: has a parameter that looks like a credential',
    ],
    [
      { auth: { bearer: { $env: 'NOBODY_SET_THIS' } } },
      'http.tools[0].auth.bearer: there is no secret NOBODY_SET_THIS: set NOBODY_SET_THIS_FILE',
    ],
    [{ headers: { A: 'x ${env:NOBODY_SET_THIS}' } }, 'http.tools[0].headers.A: there is no secret NOBODY_SET_THIS'],
    [
      { body: { json: { a: [{ $env: 'NOBODY_SET_THIS' }] } } },
      'http.tools[0].body.json.a[0]: there is no secret NOBODY_SET_THIS',
    ],
  ])('takes no secret but by reference: %j', async (changes, message) => {
    await expect(toolsOf(section(changes))).rejects.toThrow(message);
  });

  it.each<[object]>([
    [{ query: { author: 'Ann', max_tokens: '5', 'next-author': 'Bob' } }],
    [{ headers: { 'X-Author': 'Ann' } }],
    [{ headers: { Authorization: 'Token {args.x}' }, input }],
  ])('takes what only sounds like one: %j', async (changes) => {
    expect(await toolsOf(section(changes))).toHaveLength(1);
  });

  it('notices a version whose contents were changed, as the catalogue does by its hash', async () => {
    const hashOf = async (changes: object) => (await toolsOf(section(changes)))[0]?.catalogueEntry().hash;
    const hash = await hashOf(verifiable);
    expect(await hashOf({ ...verifiable })).toBe(hash);
    const others = [
      { url: 'https://api.example/others' },
      { method: 'PUT' },
      { answers: [{ when: { status: 404 }, means: 'succeeded' }] },
      { result: { $from: 'body.id' } },
      { lookup: { ...lookup, rules: [{ when: { status: 410 }, verdict: 'absent' }] } },
    ];
    const hashes = await Promise.all(others.map((changes) => hashOf({ ...verifiable, ...changes })));
    expect(new Set([hash, ...hashes]).size).toBe(others.length + 1);
    // Where it may go and how much it may take are settings of whoever runs it.
    expect(await hashOf({ ...verifiable, limits: { answer: 5 }, egress: { addresses: ['10.0.0.0/8'] } })).toBe(hash);
  });

  it('brings its approvals into the catalogue', async () => {
    const [made] = await toolsOf(section({ approvals: [{ withinMs: 9 }] }));
    expect(made?.catalogueEntry().approvals).toEqual([{ withinMs: 9 }]);
  });

  it('shows in the catalogue what callers must send', async () => {
    const [tool] = await toolsOf(section({ ...keyed, description: 'makes a thing', queue: 'slow' }));
    expect(tool?.catalogueEntry()).toMatchObject({
      name: 'a',
      description: 'makes a thing',
      queue: 'slow',
      policy: 'keyed',
      inputSchema: input,
    });
  });
});
