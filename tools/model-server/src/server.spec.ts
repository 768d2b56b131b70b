import { mkdtempSync, readFileSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from './script.js';
import { startModelServer, type ModelServer } from './server.js';

let script: Script = () => ({ text: 'Yes.' });
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: (request, n) => script(request, n) });
});
afterAll(() => server.close());
beforeEach(() => {
  script = () => ({ text: 'Yes.' });
});

const post = async (path: string, body: unknown, to = server) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${to.url}${path}`, { method: 'POST', body: text });
  const said = await response.text();
  return { status: response.status, text: said, json: said.startsWith('{') ? (JSON.parse(said) as unknown) : null };
};
const chat = (messages: unknown, more: object = {}) => post('/v1/chat/completions', { model: 'm', messages, ...more });
const lookUp = { name: 'look_up', input_schema: { type: 'object' } };
const messages = (given: unknown, more: object = {}) =>
  post('/v1/messages', { model: 'm', max_tokens: 100, messages: given, tools: [lookUp], ...more });

const user = { role: 'user', content: 'What?' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'look_up', arguments: '{}' } });
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'found' });
const uses = (...ids: string[]) => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'look_up', input: {} })),
});
const results = (...ids: string[]) => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'found' })),
});
const text = (said: string) => ({ type: 'text', text: said });

describe('chat completions', () => {
  it.each([
    ['each call is answered', [user, calls('a', 'b'), result('b'), result('a')]],
    ['there are several turns', [{ role: 'system', content: 'Hm.' }, user, calls('a'), result('a'), user]],
    ['ids come again in another turn', [user, calls('a'), result('a'), calls('a'), result('a')]],
  ])('are answered where %s', async (_, given) => expect((await chat(given)).status).toBe(200));

  it.each([
    ['a result is missing', [user, calls('a', 'b'), result('a')], 'calls without a result at the end: b'],
    ['a result is missing before something else', [user, calls('a'), user], 'calls without a result before it: a'],
    ['a result comes twice', [user, calls('a'), result('a'), result('a')], 'call a has its result twice'],
    ['a result belongs to no call', [user, calls('a'), result('x')], 'no call x was asked for'],
    ['a result comes too late', [user, calls('a'), result('a'), user, result('a')], 'no call a was asked for'],
    ['two calls have one id', [user, calls('a', 'a'), result('a')], 'two calls have the same id'],
    ['the assistant begins', [{ role: 'assistant', content: 'I.' }, user], 'the first message must be of the user'],
    [
      'the assistant says nothing',
      [user, { role: 'assistant', content: null }],
      'an assistant has content or tool_calls',
    ],
    ['the system speaks late', [user, { role: 'system', content: 'Hm.' }], 'system messages come first'],
    ['there is nothing', [], 'messages'],
    ['a role is unknown', [{ role: 'robot', content: 'I.' }], 'messages.0.role'],
    ['a message has a field too much', [{ ...user, calls: [] }], 'messages.0'],
  ])('are refused where %s', async (_, given, why) => {
    const before = server.rejected().length;
    const { status, json } = await chat(given);
    expect(status).toBe(400);
    expect((json as { error: { message: string } }).error.message).toContain(why);
    expect(server.rejected().length).toBe(before + 1);
    expect(server.rejected().at(-1)?.problem).toContain(why);
  });

  it.each([
    ['a tool that is no function', { tools: [{ name: 'look_up' }] }],
    [
      'parameters that are no object',
      { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'string' } } }] },
    ],
    [
      'a name with a space',
      { tools: [{ type: 'function', function: { name: 'a b', parameters: { type: 'object' } } }] },
    ],
    ['no tools in a list of them', { tools: [] }],
    ['stream options without a stream', { stream_options: { include_usage: true } }],
    ['a schema without a name', { response_format: { type: 'json_schema', json_schema: { schema: {} } } }],
  ])('are refused with %s', async (_, more) => expect((await chat([user], more)).status).toBe(400));

  it('are refused where the body is no JSON', async () =>
    expect((await post('/v1/chat/completions', '{"model":')).status).toBe(400));

  it('have the same answer each time, ids and counts included', async () => {
    script = () => ({ calls: [{ name: 'look_up', arguments: {} }] });
    const first = await chat([user]);
    expect((await chat([user])).text).toBe(first.text);
    const [one, two] = server.requests().slice(-2);
    expect(one?.hash).toBe(two?.hash);
    expect((await chat([user, { role: 'assistant', content: 'No.' }, user])).text).not.toBe(first.text);
  });

  it('count tokens out of lengths: four bytes of JSON are one', async () => {
    const { json } = await chat([user]);
    const asked = JSON.stringify({ instructions: '', messages: [{ role: 'user', text: 'What?' }], tools: [] });
    const said = JSON.stringify({ text: 'Yes.', calls: [] });
    const [tokensIn, tokensOut] = [Math.ceil(asked.length / 4), Math.ceil(said.length / 4)];
    expect((json as { usage: unknown }).usage).toEqual({
      prompt_tokens: tokensIn,
      completion_tokens: tokensOut,
      total_tokens: tokensIn + tokensOut,
    });
  });

  it('stream the same answer, and what was used only where they are asked to', async () => {
    const told = await chat([user], { stream: true, stream_options: { include_usage: true } });
    expect(told.text).toMatch(/"delta":\{"content":"Yes\."\}/);
    expect(told.text).toMatch(/"usage":\{"prompt_tokens":\d+/);
    expect(told.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect((await chat([user], { stream: true })).text).not.toContain('usage');
  });
});

describe('messages', () => {
  it.each([
    ['each call is answered', [user, uses('a', 'b'), results('b', 'a')]],
    ['results come before text', [user, uses('a'), { role: 'user', content: [...results('a').content, text('And?')] }]],
    ['results come in two messages', [user, uses('a', 'b'), results('a'), results('b')]],
  ])('are answered where %s', async (_, given) => expect((await messages(given)).status).toBe(200));

  it.each([
    ['a result is missing', [user, uses('a', 'b'), results('a')], 'calls without a result at the end: b'],
    ['a result comes twice', [user, uses('a'), results('a', 'a')], 'call a has its result twice'],
    ['a result belongs to no call', [user, uses('a'), results('x')], 'no call x was asked for'],
    [
      'text comes before a result',
      [user, uses('a'), { role: 'user', content: [text('And?'), ...results('a').content] }],
      'tool_result blocks come first',
    ],
    ['an id comes again', [user, uses('a'), results('a'), uses('a'), results('a')], 'tool_use ids must be unique'],
    ['the assistant begins', [{ role: 'assistant', content: 'I.' }, user], 'the first message must be of the user'],
    ['a text is empty', [{ role: 'user', content: ' ' }], 'non-whitespace'],
    ['an id holds a dot', [user, uses('a.b'), results('a.b')], 'letters, digits, _ and - alone'],
    ['a message is of the system', [{ role: 'system', content: 'Hm.' }, user], 'messages.0.role'],
  ])('are refused where %s', async (_, given, why) => {
    const { status, json } = await messages(given);
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect((json as { error: { message: string } }).error.message).toContain(why);
  });

  it('are refused where they hold calls, and offer no tools', async () =>
    expect((await messages([user, uses('a'), results('a')], { tools: [] })).status).toBe(400));

  it('are refused without max_tokens', async () =>
    expect((await post('/v1/messages', { model: 'm', messages: [user] })).status).toBe(400));

  it('stream the same answer', async () => {
    script = () => ({ text: 'Yes.', calls: [{ id: 'a', name: 'look_up', arguments: { word: 'log' } }] });
    const { text: said } = await messages([user], { stream: true });
    const events = [...said.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(events).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });
});

describe('a model server', () => {
  it('offers the models that it was given, and no others', async () => {
    const own = await startModelServer({ script, models: ['small', 'large'] });
    const response = await fetch(`${own.url}/v1/models`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    const other = await post('/v1/chat/completions', { model: 'huge', messages: [user] }, own);
    await own.close();
    expect(data.map(({ id }) => id)).toEqual(['small', 'large']);
    expect(other.status).toBe(404);
  });

  it('says where there is nothing', async () => expect((await post('/v1/nothing', {})).status).toBe(404));

  it('says that its script wants what a whole message cannot say', async () => {
    script = () => ({ calls: [{ name: 'look_up', arguments: '{"word":' }] });
    const { status, text: said } = await messages([user]);
    expect(status).toBe(500);
    expect(said).toContain('the script failed');
    expect((await messages([user], { stream: true })).status).toBe(200);
  });

  it('says that its script failed', async () => {
    script = () => {
      throw new Error('out of lines');
    };
    const { status, text: said } = await chat([user]);
    expect(status).toBe(500);
    expect(said).toContain('the script failed: out of lines');
  });
});

describe('the ledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'model-server-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const alone = (file: string, own: Script = () => ({ text: 'Yes.' })) =>
    startModelServer({ script: own, ledger: file });
  const ask = (to: ModelServer) => post('/v1/chat/completions', { model: 'm', messages: [user] }, to);

  it('goes on over a restart, in counts and in what was billed', async () => {
    const file = join(folder, 'restart.jsonl');
    const first = await alone(file);
    await ask(first);
    await first.close();
    const once = first.billed();
    const second = await alone(file);
    await ask(second);
    await second.close();
    expect(second.ledger().map(({ n, ended }) => [n, ended?.outcome, ended?.sent])).toEqual([
      [1, 'replied', true],
      [2, 'replied', true],
    ]);
    expect(second.billed()).toEqual({
      requests: 2,
      tokensIn: once.tokensIn * 2,
      tokensOut: once.tokensOut * 2,
    });
  });

  it('of a server that was killed in the middle shows a request without an end', async () => {
    const file = join(folder, 'killed.jsonl');
    const first = await alone(file);
    await ask(first);
    await first.close();
    const whole = readFileSync(file, 'utf8');
    const halfOfTheSecond = whole.indexOf('\n') + 20;
    writeFileSync(file, whole.slice(0, halfOfTheSecond));
    const second = await alone(file);
    await ask(second);
    await second.close();
    expect(second.ledger().map(({ n, ended: end }) => [n, end === null])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(second.billed().requests).toBe(1);
    expect((await alone(file).then((third) => third.close().then(() => third))).ledger()).toHaveLength(2);
  });

  it('bills nothing that was faulted, rejected or not handed over', async () => {
    const file = join(folder, 'faults.jsonl');
    const own = await alone(file, (_, n) =>
      n === 1 ? { fault: 'status', status: 500 } : { fault: 'reset', when: 'after-head' },
    );
    await ask(own);
    await expect(ask(own)).rejects.toThrow();
    await post('/v1/chat/completions', { model: 'm', messages: [] }, own);
    await own.close();
    expect(own.ledger().map(({ ended }) => [ended?.outcome, ended?.sent])).toEqual([
      ['faulted', true],
      ['faulted', false],
      ['rejected', true],
    ]);
    expect(own.billed()).toEqual({ requests: 0, tokensIn: 0, tokensOut: 0 });
  });

  it('bills nothing for a script that failed', async () => {
    const own = await alone(join(folder, 'script.jsonl'), () => {
      throw new Error('out of lines');
    });
    expect((await ask(own)).status).toBe(500);
    await own.close();
    expect(own.ledger().map(({ ended }) => ended?.outcome)).toEqual(['faulted']);
    expect(own.billed().requests).toBe(0);
  });

  it('holds nothing against lines that are none', async () => {
    const file = join(folder, 'odd.jsonl');
    appendFileSync(file, 'what is this\n');
    const own = await alone(file);
    await ask(own);
    await own.close();
    expect(own.ledger()).toHaveLength(1);
  });
});
