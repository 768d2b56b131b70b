import { startModelServer } from '@holdfast/model-server';
import { knownSecrets } from '@holdfast/sdk';
import { anthropicModel } from './anthropic/anthropic.js';
import { aRequest, asked, aTool } from './models.fixture.js';
import { openAiModel } from './openai/openai.js';
import type { EndpointOptions } from './wire/endpoint.js';
import { scriptedEndpoint } from '../../../test/support/scripted-endpoint.js';

const KEY = 'sk-endpoints-spec-0123456789';

const endpoint = scriptedEndpoint(KEY);

type Options = Partial<EndpointOptions>;
const given = (options: Options) => ({ url: endpoint.server.url, model: 'small', key: KEY, ...options });
const adapters = [
  {
    api: 'chat completions',
    modelOf: (options: Options) => openAiModel({ ...given(options), url: `${options.url ?? endpoint.server.url}/v1` }),
  },
  { api: 'messages', modelOf: (options: Options) => anthropicModel(given(options)) },
];
const lastRequest = () => endpoint.server.requests().at(-1);
const requestsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const before = endpoint.server.requests().length;
  await work();
  return endpoint.server.requests().length - before;
};

const ways = adapters.flatMap(({ api, modelOf }) =>
  [true, false].map((stream) => ({ api, stream, model: (options: Options = {}) => modelOf({ stream, ...options }) })),
);

describe.each(ways)('an endpoint of $api, asked with stream: $stream', ({ model }) => {
  it('answers with text, what it has used and the model it was', async () => {
    const { reply, used } = await asked(model(), aRequest());
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
    endpoint.script = () => ({
      text: 'I look it up.',
      calls: [
        { id: 'a', name: 'look_up', arguments: { word: 'a word that is longer than one piece of a stream' } },
        { id: 'b', name: 'look_up', arguments: {} },
      ],
    });
    const { reply } = await asked(model(), aRequest({ tools: [aTool] }));
    expect(reply?.finish).toBe('calls');
    expect(reply?.text).toBe('I look it up.');
    expect(reply?.calls).toEqual([
      { id: 'a', name: 'look_up', arguments: '{"word":"a word that is longer than one piece of a stream"}' },
      { id: 'b', name: 'look_up', arguments: '{}' },
    ]);
  });

  it('gives each call an id of its own where the endpoint repeats one', async () => {
    const twice = { id: 'same', name: 'look_up', arguments: {} };
    endpoint.script = () => ({ calls: [twice, twice] });
    const { reply } = await asked(model(), aRequest({ tools: [aTool] }));
    expect(reply?.calls.map(({ id }) => id)).toEqual(['same', 'call_1']);
  });

  it.each([
    ['refusal', 'refusal'],
    ['length', 'length'],
    ['a_new_reason', 'other'],
    ['constructor', 'other'],
    ['calls', 'other'],
  ])('that stops with %s has answered with %s, and has not failed', async (finish, expected) => {
    endpoint.script = () => ({ text: 'No.', finish });
    const { reply, error } = await asked(model(), aRequest());
    expect(error).toBeNull();
    expect(reply).toMatchObject({ text: 'No.', finish: expected, calls: [] });
  });

  it('that ran out of room in the middle of a call has asked for none', async () => {
    endpoint.script = () => ({ calls: [{ name: 'look_up', arguments: '{}' }], finish: 'length' });
    const { reply } = await asked(model(), aRequest({ tools: [aTool] }));
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
    endpoint.script = () => ({ fault: 'status', ...answer });
    let error: unknown;
    const count = await requestsDuring(async () => ({ error } = await asked(model(), aRequest())));
    expect(error).toMatchObject({ name: 'ToolFailure', code, ...more });
    expect(count).toBe(1);
  });

  it('waits until the date that Retry-After names', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString();
    endpoint.script = () => ({ fault: 'status', status: 429, headers: { 'retry-after': at } });
    const { error } = await asked(model(), aRequest());
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
    endpoint.script = () => fault;
    let error: unknown;
    const count = await requestsDuring(async () => ({ error } = await asked(model(), aRequest())));
    expect(error).toMatchObject({ code, retry: 'later', effect: 'unknown' });
    expect(count).toBe(1);
  });

  it('that hangs is given up at the deadline of the call', async () => {
    endpoint.script = () => ({ fault: 'hang' });
    const { error } = await asked(model(), aRequest(), { deadline: Date.now() + 50 });
    expect(error).toMatchObject({ code: 'model_unavailable', retry: 'later', effect: 'unknown' });
    expect((error as Error).message).toContain('deadline');
  });

  it('is left when the call is stopped', async () => {
    endpoint.script = () => ({ fault: 'hang' });
    const controller = new AbortController();
    const answer = asked(model(), aRequest(), {
      signal: controller.signal,
      beforeSend: () => controller.abort(),
    });
    expect((await answer).error).toMatchObject({ code: 'model_call_stopped', effect: 'unknown' });
  });

  it('is sent nothing when the guard refuses', async () => {
    const refusal = new Error('not now');
    const count = await requestsDuring(async () => {
      const { error } = await asked(model(), aRequest(), {
        beforeSend: () => {
          throw refusal;
        },
      });
      expect((error as Error).message).toContain('not now');
    });
    expect(count).toBe(0);
  });

  it('that is not there has surely used nothing', async () => {
    const gone = await startModelServer({ script: endpoint.script });
    await gone.close();
    const { error } = await asked(model({ url: gone.url }), aRequest());
    expect(error).toMatchObject({ code: 'model_unavailable', retry: 'later', effect: 'none' });
    expect((error as Error).message).toContain('was not sent');
  });

  it('is given the key as the call has it, and the place in the trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await asked(model(), aRequest(), { key: 'run/7', traceparent });
    expect(lastRequest()).toMatchObject({ key: 'run/7', headers: { traceparent } });
  });

  it('takes its settings from the model and from the request, which counts more', async () => {
    await asked(model({ settings: { temperature: 0, seed: 7 } }), aRequest({ settings: { temperature: 1 } }));
    expect(lastRequest()?.asked?.settings).toMatchObject({ temperature: 1, seed: 7 });
  });

  it('is sent nothing where a setting of the request is none', async () => {
    const count = await requestsDuring(async () => {
      const { error } = await asked(model(), aRequest({ settings: { messages: [] } }));
      expect(error).toMatchObject({ code: 'model_request_refused', retry: 'never', effect: 'none' });
      expect((error as Error).message).toContain('messages cannot be a setting');
    });
    expect(count).toBe(0);
  });

  it('that says what key it was given does not have it repeated', async () => {
    endpoint.script = () => ({ fault: 'status', status: 401, message: `${KEY} is not a key` });
    const { error } = await asked(model(), aRequest());
    expect((error as Error).message).not.toContain(KEY);
    expect((error as Error).message).toContain('is not a key');
    expect(knownSecrets.mask(`x ${KEY} y`)).not.toContain(KEY);
  });
});

describe.each(adapters)('a stream of $api', ({ modelOf }) => {
  const model = () => modelOf({});

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
    endpoint.script = () => ({ fault: 'cut', events: 2, quiet, reply: { text: 'A log keeps what happened.' } });
    const { error } = await asked(model(), aRequest());
    expect(error).toMatchObject({ code, retry: 'later', effect: 'unknown' });
  });

  it.each([
    ['rate_limit_exceeded', 'rate_limited'],
    ['overloaded_error', 'model_overloaded'],
    ['server_error', 'model_unavailable'],
  ])('that tells of %s in the middle fails with %s', async (told, code) => {
    endpoint.script = () => ({
      fault: 'error-event',
      events: 2,
      code: told,
      reply: { text: 'A log keeps what happened.' },
    });
    const { error } = await asked(model(), aRequest());
    expect(error).toMatchObject({ code, retry: 'later', effect: 'unknown' });
  });
});

describe.each(adapters)('a model of $api', ({ modelOf }) => {
  const model = modelOf;

  it.each(['ftp://models.example', 'not a url', 'https://user:password@models.example'])('is refused at %s', (url) => {
    expect(() => model({ url })).toThrow(/the URL of a model must/);
  });

  it.each([
    ['no name', { model: '' }, 'a model needs its name'],
    ['no key', { key: undefined }, 'a model needs key'],
    ['an empty key', { key: '' }, 'a model needs key'],
    ['a key of another form', { key: { env: 'A' } }, 'a model needs key'],
  ])('is refused with %s', (_, options, why) => expect(() => model(options as object)).toThrow(why));

  it('is refused with a setting that is none', () =>
    expect(() => model({ settings: { stream: false } })).toThrow('stream cannot be a setting'));

  it('without a secret of its headers fails when it is called, and names the variable', async () => {
    const { error } = await asked(model({ headers: { 'api-key': { $env: 'NO_SUCH_HEADER_KEY' } } }), aRequest());
    expect(error).toMatchObject({ code: 'model_not_configured', retry: 'never', effect: 'none' });
    expect((error as Error).message).toMatch(/headers\.api-key: .*NO_SUCH_HEADER_KEY/);
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

  it('takes nothing from the environment but what it names', async () => {
    const others = {
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_API_KEY: 'sk-another-0123456789',
      OPENAI_ADMIN_KEY: 'sk-admin-0123456789',
      OPENAI_ORG_ID: 'another',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'sk-another-0123456789',
      ANTHROPIC_AUTH_TOKEN: 'sk-token-0123456789',
    };
    Object.assign(process.env, others);
    const { reply } = await asked(model({}), aRequest());
    for (const name of Object.keys(others)) delete process.env[name];
    expect(reply?.finish).toBe('answer');
    const { headers } = lastRequest() ?? {};
    expect(headers?.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(headers)).not.toContain('another');
  });

  it('may be asked by a fetch of ones own', async () => {
    const seen: string[] = [];
    const own: typeof fetch = (url, init) => {
      seen.push(String(url instanceof Request ? url.url : url));
      return fetch(url, init);
    };
    const { reply } = await asked(model({ fetch: own }), aRequest());
    expect(reply?.finish).toBe('answer');
    expect(seen).toEqual([expect.stringMatching(`^${endpoint.server.url}/v1/`)]);
  });
});
