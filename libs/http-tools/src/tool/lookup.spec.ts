import { verifyTool } from '@holdfast/sdk';
import { localTool } from '../section.fixture.js';
import { says, Sink, type Handler } from '../sink.fixture.js';

const sink = new Sink();
const other = new Sink();
beforeAll(async () => {
  await sink.open();
  await other.open();
});
afterAll(() => {
  sink.close();
  other.close();
});
beforeEach(() => {
  sink.clear();
  other.clear();
});

const FILED = `method: POST
url: ORIGIN/filings
policy: verifiable
settleMs: 1000
auth: { bearer: { $env: LOOKUP_SPEC_TOKEN } }
input: { type: object, required: [title], properties: { title: { type: string } } }
body: { json: { title: { $from: args.title }, reference: { $from: key } } }
result: { id: { $from: body.id } }
lookup:
  url: ORIGIN/filings
  query: { reference: '{key}' }
  rules:
    - { when: { pointer: /items, where: { reference: { $from: key }, title: { $from: args.title } } }, verdict: applied }
    - { when: { pointer: /items, count: 0 }, verdict: absent }
    - { when: { status: 404 }, verdict: absent }
`;
const make = async (fields = FILED) => {
  process.env['LOOKUP_SPEC_TOKEN'] = 'lookup-token';
  return localTool(sink.origin, fields);
};
const ask = async (answer: Handler, fields?: string) => {
  sink.answer = answer;
  return verifyTool(await make(fields), { title: 'a' }, { key: 'run/step' });
};

describe('what became of a call', () => {
  const own = { id: 7, reference: 'run/step', title: 'a' };

  it.each<[string, Handler, object]>([
    [
      'found among others',
      says(200, { items: [{ ...own, id: 1, reference: 'else' }, own] }),
      { verdict: 'applied', result: { id: 7 } },
    ],
    ['nothing there', says(200, { items: [] }), { verdict: 'absent' }],
    ['not found', says(404), { verdict: 'absent' }],
    ['others alone', says(200, { items: [{ ...own, reference: 'else' }] }), { verdict: 'unknown' }],
    ['another content under its key', says(200, { items: [{ ...own, title: 'b' }] }), { verdict: 'unknown' }],
    [
      'found, but without what the result is made of',
      says(200, { items: [{ reference: 'run/step', title: 'a' }] }),
      { verdict: 'unknown' },
    ],
    ['a body of another form', says(200, { data: [] }), { verdict: 'unknown' }],
    ['an error', says(500), { verdict: 'unknown' }],
    ['no entry', says(403), { verdict: 'unknown' }],
    ['elsewhere', says(302, undefined, { location: '/' }), { verdict: 'unknown' }],
    [
      'half an answer',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      { verdict: 'unknown' },
    ],
    ['no answer', (_, response) => void response.destroy(), { verdict: 'unknown' }],
  ])('is told by the first rule that fits: %s', async (_, answer, verdict) => {
    expect(await ask(answer)).toMatchObject(verdict);
    expect(sink.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /filings?reference=run%2Fstep']);
    expect(sink.seen[0]?.headers.authorization).toBe('Bearer lookup-token');
  });

  it('comes with evidence: what was asked, the status, and what was seen', async () => {
    const { evidence } = await ask(says(200, { items: [own] }));
    expect(evidence.summary).toBe(`GET ${sink.origin}/filings was answered with 200; rule 1 fits: applied`);
    expect(evidence.details).toMatchObject({
      status: 200,
      sha256: expect.any(String) as unknown,
      body: { items: [own] },
    });
    const large = await ask(says(200, { items: [], more: 'x'.repeat(3_000) }));
    expect(large.evidence.details).not.toHaveProperty('body');
  });

  it('is made of the record that the rule points at, or by its own result', async () => {
    const having = (rule: string) => FILED.replace(/rules:[^]*/, `rules: [{ ${rule} }]\n`);
    const pointed = having('when: { pointer: /found/id, exists: true }, verdict: applied, record: /found');
    expect(await ask(says(200, { found: { id: 9 } }), pointed)).toMatchObject({
      verdict: 'applied',
      result: { id: 9 },
    });
    const made = having('when: { pointer: /n, equals: 3 }, verdict: applied, result: { id: { $from: body.n } }');
    expect(await ask(says(200, { n: 3 }), made)).toMatchObject({ verdict: 'applied', result: { id: 3 } });
    const nowhere = having('when: { pointer: /n, equals: 3 }, verdict: applied, record: /found');
    expect(await ask(says(200, { n: 3 }), nowhere)).toMatchObject({ verdict: 'unknown' });
  });

  it('is not asked of another host with the secret of the first', async () => {
    other.answer = says(404);
    const fields = FILED.replace('lookup:\n  url: ORIGIN', `lookup:\n  url: ${other.origin}`);
    expect(await ask(says(200), fields)).toMatchObject({ verdict: 'absent' });
    expect(other.seen[0]?.headers).not.toHaveProperty('authorization');
  });
});
