import { createServer as createTcp } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { runTool } from '@holdfast/sdk';
import { localTool } from '../section.fixture.js';
import { says, Sink, type Handler } from '../sink.fixture.js';

const sink = new Sink();
beforeAll(() => sink.open());
afterAll(() => sink.close());
beforeEach(() => sink.clear());

const POST = `method: POST\nurl: ORIGIN/things\ninput: { properties: { x: {} } }\nbody: { json: { x: { $from: args.x } } }\n`;
const make = (fields: string) => localTool(sink.origin, fields);
const unprotected = (more = '') => make(`${POST}policy: unprotected\n${more}`);

describe('an answer that says nothing', () => {
  it.each<[string, Handler, unknown]>([
    ['204', says(204), null],
    ['200 with null', says(200, null), null],
    ['201 with an empty list', says(201, []), []],
    ['200 with 0 bytes and no content type', (_, response) => void response.writeHead(200).end(), null],
    [
      '200 with spaces',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('  \n'),
      null,
    ],
  ])('is a success: %s', async (_, answer, result) => {
    sink.answer = answer;
    expect(await runTool(await unprotected(), { x: 1 })).toMatchObject({ outcome: 'succeeded', result });
    expect(sink.seen).toHaveLength(1);
  });
});

describe('what an answer means', () => {
  const STATUSES: [number, string, string | undefined][] = [
    [200, 'succeeded', undefined],
    [299, 'succeeded', undefined],
    [301, 'unknown', undefined],
    [307, 'unknown', undefined],
    [400, 'failed', 'never'],
    [404, 'failed', 'never'],
    [408, 'unknown', undefined],
    [409, 'failed', 'never'],
    [425, 'failed', 'later'],
    [429, 'failed', 'later'],
    [500, 'unknown', undefined],
    [502, 'unknown', undefined],
    [503, 'unknown', undefined],
    [504, 'unknown', undefined],
  ];

  it.each(STATUSES)('%i of a tool with effects: %s', async (status, outcome, retry) => {
    sink.answer = says(status, { error: 'so' }, { location: '/elsewhere' });
    const ended = await runTool(await unprotected(), { x: 1 });
    expect([ended.outcome, 'retry' in ended ? ended.retry : undefined]).toEqual([outcome, retry]);
    expect(sink.seen).toHaveLength(1);
  });

  it('is unknown at 409 where a key was sent: an earlier request with it may still be at work', async () => {
    sink.answer = says(409);
    const tool = await make(`${POST}policy: keyed\nkeyTtlMs: 86400000`);
    expect(await runTool(tool, { x: 1 })).toMatchObject({ outcome: 'unknown', failure: { code: 'http_409' } });
  });

  it('waits as long as Retry-After asks for, where nothing was done', async () => {
    sink.answer = says(429, undefined, { 'retry-after': '7' });
    expect(await runTool(await unprotected(), { x: 1 })).toMatchObject({ outcome: 'failed', retryAfterMs: 7_000 });
    sink.answer = says(503, undefined, { 'retry-after': '7' });
    const promised = await unprotected('answers: [{ when: { status: 503 }, means: failed, code: closed }]');
    expect(await runTool(promised, { x: 1 })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'closed' },
      retry: 'later',
      retryAfterMs: 7_000,
    });
  });

  it('is a failure that is tried again, of a tool without effects', async () => {
    sink.answer = says(503);
    const tool = await make('method: GET\nurl: ORIGIN/\npolicy: pure');
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'failed', retry: 'later', failure: { code: 'http_503' } });
    sink.answer = says(302, undefined, { location: 'https://elsewhere.example/' });
    expect(await runTool(tool, {})).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: {
        message: `GET ${sink.origin}/ was answered with 302 (to https://elsewhere.example/; redirects are not followed)`,
      },
    });
  });

  const RULES = `answers:
  - { when: { contains: session timed out }, means: unclear }
  - { when: { pointer: /error/code, equals: declined }, means: failed, code: declined }
  - { when: { status: [404, 410] }, means: succeeded }
  - { when: { pointer: /queue, where: { x: { $from: args.x } }, count: { min: 2 } }, means: unclear, code: twice }
  - { when: { pointer: /order, matches: { state: done, lines: [1] } }, means: succeeded }
  - { when: { pointer: /order, exists: true }, means: failed, retry: later }
`;

  it.each<[Handler, object]>([
    [
      (_, response) => void response.end('<p>Your session timed out</p>'),
      { outcome: 'unknown', failure: { code: 'unclear_answer' } },
    ],
    [says(200, { error: { code: 'declined' } }), { outcome: 'failed', retry: 'never', failure: { code: 'declined' } }],
    [says(410), { outcome: 'succeeded', result: null }],
    [says(200, { queue: [{ x: 1 }, { x: 2 }] }), { outcome: 'succeeded' }],
    [says(200, { queue: [{ x: 1 }, { x: 1, y: 2 }] }), { outcome: 'unknown', failure: { code: 'twice' } }],
    [says(200, { order: { state: 'done', lines: [1], more: 1 } }), { outcome: 'succeeded' }],
    [says(200, { order: { state: 'done', lines: [1, 2] } }), { outcome: 'failed', retry: 'later' }],
    [says(200, { order: null }), { outcome: 'failed', retry: 'later' }],
    [says(200, {}), { outcome: 'succeeded' }],
  ])('is what the first rule says that fits', async (answer, ended) => {
    sink.answer = answer;
    expect(await runTool(await unprotected(RULES), { x: 1 })).toMatchObject(ended);
    expect(sink.seen).toHaveLength(1);
  });
});

describe('an answer that cannot be read', () => {
  const packed =
    (encoding: string, bytes: Buffer): Handler =>
    (_, response) =>
      void response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'application/json' }).end(bytes);

  it.each<[string, Handler, string]>([
    [
      'no JSON',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'unreadable_answer',
    ],
    ['no text', (_, response) => void response.end(Buffer.from([0xff, 0xfe])), 'unreadable_answer'],
    ['packed in a way nobody knows', packed('compress', Buffer.from('x')), 'unreadable_answer'],
    ['packed badly', packed('gzip', Buffer.from('x')), 'unreadable_answer'],
    ['too large', says(200, 'x'.repeat(3_000)), 'response_too_large'],
    [
      'too large once it is unpacked',
      packed('gzip', gzipSync(JSON.stringify('x'.repeat(1_000_000)))),
      'response_too_large',
    ],
    [
      'cut off',
      (_, response) => void response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy()),
      'ECONNRESET',
    ],
  ])('was given all the same, so what it did is unknown: %s', async (_, answer, code) => {
    sink.answer = answer;
    const tool = await unprotected('limits: { answer: 2000 }');
    expect(await runTool(tool, { x: 1 })).toMatchObject({ outcome: 'unknown', failure: { code } });
    expect(sink.seen).toHaveLength(1);
  });

  it('is unpacked where it can be', async () => {
    sink.answer = packed('br', brotliCompressSync('{"a":1}'));
    expect(await runTool(await unprotected(), { x: 1 })).toMatchObject({ result: { a: 1 } });
    expect(sink.seen[0]?.headers['accept-encoding']).toBe('identity');
  });
});

describe('a request that does not come through', () => {
  it('was surely not sent where nobody listens', async () => {
    const gone = createTcp();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const tool = await localTool(`http://127.0.0.1:${port}`, `${POST}policy: unprotected`);
    expect(await runTool(tool, { x: 1 })).toMatchObject({
      outcome: 'failed',
      retry: 'later',
      failure: { code: 'ECONNREFUSED' },
    });
  });

  it('was surely not sent where the host does not speak TLS, or the guard refuses', async () => {
    const tls = await localTool(`https://127.0.0.1:${sink.port}`, `${POST}policy: unprotected`);
    expect(await runTool(tls, { x: 1 })).toMatchObject({ outcome: 'failed', retry: 'later' });
    const refused = await runTool(await unprotected(), { x: 1 }, { refusal: () => 'lease' });
    expect(refused).toMatchObject({ outcome: 'failed', failure: { code: 'guard_refused' } });
    expect(sink.seen).toEqual([]);
  });

  it('may have been done where the connection is reset or the call is stopped before the answer', async () => {
    sink.answer = (_, response) => void response.destroy();
    expect(await runTool(await unprotected(), { x: 1 })).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'ECONNRESET' },
    });
    const stop = new AbortController();
    sink.answer = () => stop.abort();
    expect(await runTool(await unprotected(), { x: 1 }, { signal: stop.signal })).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'aborted' },
    });
    expect(sink.seen).toHaveLength(2);
  });
});

describe('the result', () => {
  it('is the body, or what is made of status, headers and body', async () => {
    sink.answer = says(201, { data: { id: 7 } }, { Location: '/things/7' });
    expect(await runTool(await unprotected(), { x: 1 })).toMatchObject({ result: { data: { id: 7 } } });
    const mapped = await unprotected(
      `result: { id: { $from: body.data.id }, at: { $from: headers.Location }, status: { $from: status }, x: { $from: args.x }, else: { $from: body.none, $else: 0 } }`,
    );
    expect(await runTool(mapped, { x: 1 })).toMatchObject({
      result: { id: 7, at: '/things/7', status: 201, x: 1, else: 0 },
    });
  });

  it('may be pointed at, whatever its names are', async () => {
    sink.answer = says(200, { data: [{ 'a.b/c': 7 }] });
    const tool = await unprotected(
      `result: { id: { $pointer: /data/0/a.b~1c }, no: { $pointer: /data/1, $else: none } }`,
    );
    expect(await runTool(tool, { x: 1 })).toMatchObject({ result: { id: 7, no: 'none' } });
    await expect(unprotected('answers: [{ when: { equals: { $pointer: data } }, means: failed }]')).rejects.toThrow(
      'http.tools[0].answers[0].when.equals: data is no JSON Pointer',
    );
  });

  it('that cannot be made, or does not fit output, leaves open what was done', async () => {
    sink.answer = says(200, { other: 1 });
    expect(await runTool(await unprotected('result: { $from: body.id }'), { x: 1 })).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'unexpected_answer' },
    });
    const strict = await unprotected('output: { type: object, required: [id] }');
    expect(await runTool(strict, { x: 1 })).toMatchObject({ outcome: 'unknown', failure: { code: 'invalid_result' } });
  });
});
