import { startModelServer, type ModelServer, type Script } from '@holdfast/model-server';
import { knownSecrets } from '@holdfast/sdk';
import { aRequest, asked, aTool, rawEndpoint } from '../models.fixture.js';
import { openAiModel, type OpenAiOptions } from './openai.js';

const KEY = 'sk-openai-spec-0123456789';

let script: Script = () => ({ text: 'A log keeps what happened.' });
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: (request, n) => script(request, n), key: KEY });
});
afterAll(() => server.close());
beforeEach(() => {
  script = () => ({ text: 'A log keeps what happened.' });
});

const model = (options: Partial<OpenAiOptions> = {}) =>
  openAiModel({ url: `${server.url}/v1`, model: 'small', key: KEY, ...options });
const lastRequest = () => server.requests().at(-1);
const requestsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const before = server.requests().length;
  await work();
  return server.requests().length - before;
};

describe.each([true, false])('an OpenAI-compatible endpoint, asked with stream: %s', (stream) => {
  it('answers with text, what it has used and the model it was', async () => {
    const { reply, used } = await asked(model({ stream }), aRequest());
    expect(reply).toEqual({
      text: 'A log keeps what happened.',
      calls: [],
      finish: 'answer',
      usage: { tokensIn: expect.any(Number) as number, tokensOut: 12 },
      model: 'small',
    });
    expect(used.at(-1)).toEqual({ ...reply?.usage, final: true });
    expect(reply?.usage.tokensIn).toBeGreaterThan(0);
  });

  it('asks for calls, in order and with their arguments as they were written', async () => {
    script = () => ({
      text: 'I look it up.',
      calls: [
        { id: 'a', name: 'look_up', arguments: { word: 'a word that is longer than one piece of a stream' } },
        { id: 'b', name: 'look_up', arguments: '{"word": "cut' },
      ],
    });
    const { reply } = await asked(model({ stream }), aRequest({ tools: [aTool] }));
    expect(reply?.finish).toBe('calls');
    expect(reply?.text).toBe('I look it up.');
    expect(reply?.calls).toEqual([
      { id: 'a', name: 'look_up', arguments: '{"word":"a word that is longer than one piece of a stream"}' },
      { id: 'b', name: 'look_up', arguments: '{"word": "cut' },
    ]);
  });

  it('gives each call an id of its own where the endpoint repeats one', async () => {
    const twice = { id: 'same', name: 'look_up', arguments: {} };
    script = () => ({ calls: [twice, twice] });
    const { reply } = await asked(model({ stream }), aRequest({ tools: [aTool] }));
    expect(reply?.calls.map(({ id }) => id)).toEqual(['same', 'call_1']);
  });

  it.each([
    ['refusal', 'refusal'],
    ['filtered', 'filtered'],
    ['length', 'length'],
    ['a_new_reason', 'other'],
  ])('that stops with %s has answered with %s, and is no failure', async (finish, expected) => {
    script = () => ({ text: 'No.', finish });
    const { reply, error } = await asked(model({ stream }), aRequest());
    expect(error).toBeNull();
    expect(reply).toMatchObject({ text: 'No.', finish: expected, calls: [] });
  });

  it('that ran out of room in the middle of a call has asked for none', async () => {
    script = () => ({ calls: [{ name: 'look_up', arguments: '{"word":' }], finish: 'length' });
    const { reply } = await asked(model({ stream }), aRequest({ tools: [aTool] }));
    expect(reply).toMatchObject({ finish: 'length', calls: [] });
  });

  it.each([
    ['429', { status: 429, headers: { 'retry-after': '7' } }, 'rate_limited', { retry: 'later', retryAfterMs: 7_000 }],
    ['429', { status: 429, headers: { 'retry-after-ms': '1500.2' } }, 'rate_limited', { retryAfterMs: 1_501 }],
    ['529', { status: 529, headers: { 'retry-after': 'soon' } }, 'rate_limited', { retryAfterMs: undefined }],
    ['429 for want of money', { status: 429, code: 'insufficient_quota' }, 'model_quota_exhausted', { retry: 'never' }],
    [
      '503',
      { status: 503, headers: { 'retry-after': '2' } },
      'model_overloaded',
      { retry: 'later', retryAfterMs: 2_000 },
    ],
    ['500', { status: 500 }, 'model_unavailable', { retry: 'later', effect: 'unknown' }],
    ['401', { status: 401 }, 'model_unauthorized', { retry: 'never', effect: 'none' }],
    ['403', { status: 403 }, 'model_unauthorized', { retry: 'never', effect: 'none' }],
    ['400', { status: 400 }, 'model_request_refused', { retry: 'never', effect: 'none' }],
    ['404', { status: 404 }, 'model_request_refused', { retry: 'never' }],
    ['422', { status: 422 }, 'model_request_refused', { retry: 'never' }],
    ['413', { status: 413 }, 'context_too_long', { retry: 'never' }],
    ['400 for its length', { status: 400, code: 'context_length_exceeded' }, 'context_too_long', { retry: 'never' }],
  ] as const)('that answers %s fails once, as what it is (%j)', async (_, answer, code, more) => {
    script = () => ({ fault: 'status', ...answer });
    let error: unknown;
    const count = await requestsDuring(async () => ({ error } = await asked(model({ stream }), aRequest())));
    expect(error).toMatchObject({ name: 'ToolFailure', code, ...more });
    expect(count).toBe(1);
  });

  it('waits until the date that Retry-After names', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString();
    script = () => ({ fault: 'status', status: 429, headers: { 'retry-after': at } });
    const { error } = await asked(model({ stream }), aRequest());
    const { retryAfterMs } = error as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  it.each([
    ['resets the connection', { fault: 'reset', when: 'before-head' }, 'model_unavailable'],
    ['resets it in the middle of the answer', { fault: 'reset', when: 'after-head' }, 'model_unavailable'],
    ['answers what is no JSON', { fault: 'garbage', body: '{"choices": [' }, 'model_reply_unreadable'],
    [
      'answers a page',
      { fault: 'garbage', body: '<html>busy</html>', contentType: 'text/html' },
      'model_reply_unreadable',
    ],
    ['answers without choices', { fault: 'garbage', body: '{}' }, 'model_reply_unreadable'],
  ] as const)('that %s is asked once, and may be asked again', async (_, fault, code) => {
    script = () => fault;
    let error: unknown;
    const count = await requestsDuring(async () => ({ error } = await asked(model({ stream }), aRequest())));
    expect(error).toMatchObject({ code, retry: 'later', effect: 'unknown' });
    expect(count).toBe(1);
  });

  it('that hangs is given up at the deadline of the call', async () => {
    script = () => ({ fault: 'hang' });
    const { error } = await asked(model({ stream }), aRequest(), { deadline: Date.now() + 50 });
    expect(error).toMatchObject({ code: 'model_unavailable', retry: 'later', effect: 'unknown' });
    expect((error as Error).message).toContain('deadline');
  });

  it('is left when the call is stopped', async () => {
    script = () => ({ fault: 'hang' });
    const controller = new AbortController();
    const answer = asked(model({ stream }), aRequest(), {
      signal: controller.signal,
      beforeSend: () => controller.abort(),
    });
    expect((await answer).error).toMatchObject({ code: 'model_call_stopped', effect: 'unknown' });
  });

  it('is sent nothing when the guard refuses', async () => {
    const refusal = new Error('not now');
    const count = await requestsDuring(async () => {
      const { error } = await asked(model({ stream }), aRequest(), {
        beforeSend: () => {
          throw refusal;
        },
      });
      expect((error as Error).message).toContain('not now');
    });
    expect(count).toBe(0);
  });

  it('that is not there has surely used nothing', async () => {
    const gone = await startModelServer({ script });
    await gone.close();
    const { error } = await asked(model({ stream, url: `${gone.url}/v1` }), aRequest());
    expect(error).toMatchObject({ code: 'model_unavailable', retry: 'later', effect: 'none' });
    expect((error as Error).message).toContain('was not sent');
  });

  it('is given the key as the call has it, and the place in the trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await asked(model({ stream }), aRequest(), { key: 'run/7', traceparent });
    expect(lastRequest()).toMatchObject({ key: 'run/7', headers: { traceparent } });
  });

  it('takes its settings from the model and from the request, which counts more', async () => {
    await asked(model({ stream, settings: { temperature: 0, seed: 7 } }), aRequest({ settings: { temperature: 1 } }));
    expect(lastRequest()?.asked?.settings).toEqual({ temperature: 1, seed: 7 });
  });

  it('refuses a setting that is no setting before anything is sent', async () => {
    const count = await requestsDuring(async () => {
      const { error } = await asked(model({ stream, settings: { messages: [] } }), aRequest());
      expect(error).toMatchObject({ code: 'model_request_refused', retry: 'never', effect: 'none' });
      expect((error as Error).message).toContain('messages cannot be a setting');
    });
    expect(count).toBe(0);
  });

  it('is told the schema of the answer by response_format', async () => {
    const answer = { type: 'object', properties: { word: { type: 'string' } } };
    await asked(model({ stream }), aRequest({ answer }));
    expect(lastRequest()?.asked).toMatchObject({ answer, instructions: 'Answer briefly.' });
  });

  it('that does not know response_format is told it in the instructions', async () => {
    const answer = { type: 'object', properties: { word: { type: 'string' } } };
    await asked(model({ stream, answerBy: 'instructions' }), aRequest({ answer }));
    expect(lastRequest()?.asked?.answer).toBeUndefined();
    expect(lastRequest()?.asked?.instructions).toContain(JSON.stringify(answer));
  });

  it('whose filter refuses the question has answered with filtered', async () => {
    script = () => ({ fault: 'status', status: 400, code: 'content_filter' });
    expect((await asked(model({ stream }), aRequest())).reply).toMatchObject({ finish: 'filtered', text: '' });
  });

  it('that says what key it was given does not have it repeated', async () => {
    script = () => ({ fault: 'status', status: 401, message: `${KEY} is not a key` });
    const { error } = await asked(model({ stream }), aRequest());
    expect((error as Error).message).not.toContain(KEY);
    expect((error as Error).message).toContain('is not a key');
    expect(knownSecrets.mask(`x ${KEY} y`)).not.toContain(KEY);
  });
});

describe('a stream', () => {
  it('hands out its text as it comes', async () => {
    const heard: string[] = [];
    await asked(model(), aRequest(), { onText: (delta) => void heard.push(delta) });
    expect(heard.length).toBeGreaterThan(1);
    expect(heard.join('')).toBe('A log keeps what happened.');
  });

  it.each([
    ['cut', false, 'model_unavailable'],
    ['quietly ended', true, 'model_reply_unreadable'],
  ])('that is %s in the middle is no answer', async (_, quiet, code) => {
    script = () => ({ fault: 'cut', events: 2, quiet, reply: { text: 'A log keeps what happened.' } });
    const { error } = await asked(model(), aRequest());
    expect(error).toMatchObject({ code, retry: 'later', effect: 'unknown' });
  });

  it.each([
    ['rate_limit_exceeded', 'rate_limited'],
    ['overloaded_error', 'model_overloaded'],
    ['server_error', 'model_unavailable'],
  ])('that tells of %s in the middle fails with %s', async (told, code) => {
    script = () => ({ fault: 'error-event', events: 2, code: told, reply: { text: 'A log keeps what happened.' } });
    const { error } = await asked(model(), aRequest());
    expect(error).toMatchObject({ code, retry: 'later', effect: 'unknown' });
  });

  it('of an endpoint that is not to be asked what was used says nothing of it', async () => {
    const { reply, used } = await asked(model({ streamUsage: false }), aRequest());
    expect(reply).toMatchObject({ text: 'A log keeps what happened.', usage: { tokensIn: 0, tokensOut: 0 } });
    expect(used).toEqual([]);
  });
});

describe('endpoints that only resemble the first one', () => {
  const call = (piece: object) => `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [piece] } }] })}\n\n`;
  const end = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

  it('are understood where pieces of calls have no place', async () => {
    const body = [
      call({ id: 'a', function: { name: 'look_up', arguments: '{"word":' } }),
      call({ function: { arguments: '"x"}' } }),
      call({ id: 'b', function: { name: 'look_up', arguments: '{}' } }),
      end,
    ];
    const endpoint = await rawEndpoint(body.join(''), 'text/event-stream');
    const { reply } = await asked(model({ url: endpoint.url, key: null }), aRequest({ tools: [aTool] }));
    endpoint.close();
    expect(reply).toMatchObject({
      finish: 'calls',
      calls: [
        { id: 'a', name: 'look_up', arguments: '{"word":"x"}' },
        { id: 'b', name: 'look_up', arguments: '{}' },
      ],
    });
  });

  it('are not believed where a call begins behind a place that is empty', async () => {
    const endpoint = await rawEndpoint(call({ index: 3, id: 'a' }) + end, 'text/event-stream');
    const { error } = await asked(model({ url: endpoint.url }), aRequest({ tools: [aTool] }));
    endpoint.close();
    expect(error).toMatchObject({ code: 'model_reply_unreadable' });
  });

  it('are understood where arguments are an object, and ids and counts are missing', async () => {
    const message = { content: null, tool_calls: [{ function: { name: 'look_up', arguments: { word: 'x' } } }] };
    const endpoint = await rawEndpoint(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }));
    const { reply, used } = await asked(model({ url: endpoint.url, stream: false }), aRequest({ tools: [aTool] }));
    endpoint.close();
    expect(reply?.calls).toEqual([{ id: 'call_0', name: 'look_up', arguments: '{"word":"x"}' }]);
    expect(used).toEqual([]);
  });
});

describe('a model', () => {
  it.each(['ftp://models.example', 'not a url', 'https://user:password@models.example'])('is refused at %s', (url) => {
    expect(() => model({ url })).toThrow(/the URL of a model must/);
  });

  it('without its key fails when it is called, and names the variable', async () => {
    const { error } = await asked(model({ key: { $env: 'NO_SUCH_MODEL_KEY' } }), aRequest());
    expect(error).toMatchObject({ code: 'model_not_configured', retry: 'never', effect: 'none' });
    expect((error as Error).message).toContain('NO_SUCH_MODEL_KEY');
  });

  it('whose key is not accepted names the variable that holds it', async () => {
    process.env['WRONG_MODEL_KEY'] = 'sk-wrong-0123456789';
    const { error } = await asked(model({ key: { $env: 'WRONG_MODEL_KEY' } }), aRequest());
    delete process.env['WRONG_MODEL_KEY'];
    expect(error).toMatchObject({ code: 'model_unauthorized' });
    expect((error as Error).message).toContain('Look at WRONG_MODEL_KEY');
  });

  it('may be asked by a fetch of ones own', async () => {
    const seen: string[] = [];
    const own: typeof fetch = (url, init) => {
      seen.push(String(url instanceof Request ? url.url : url));
      return fetch(url, init);
    };
    const { reply } = await asked(model({ fetch: own }), aRequest());
    expect(reply?.finish).toBe('answer');
    expect(seen).toEqual([`${server.url}/v1/chat/completions`]);
  });
});
