import type { ModelMessage } from '@holdfast/programs';
import { aRequest, asked, aTool, rawEndpoint } from '../models.fixture.js';
import { anthropicModel, type AnthropicOptions } from './anthropic.js';
import { scriptedEndpoint } from '../../../../test/support/scripted-endpoint.js';

const KEY = 'sk-anthropic-spec-0123456789';

const endpoint = scriptedEndpoint(KEY);

const model = (options: Partial<AnthropicOptions> = {}) =>
  anthropicModel({ url: endpoint.server.url, model: 'small', key: KEY, ...options });
const lastAsked = () => endpoint.server.requests().at(-1)?.asked;

const answer = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };

describe('messages', () => {
  it('say how long an answer may be, also where nobody has said it', async () => {
    await asked(model(), aRequest());
    expect(lastAsked()?.settings).toEqual({ max_tokens: 4_096 });
    await asked(model({ maxTokens: 100 }), aRequest());
    expect(lastAsked()?.settings).toEqual({ max_tokens: 100 });
    await asked(model({ maxTokens: 100 }), aRequest({ settings: { max_tokens: 50 } }));
    expect(lastAsked()?.settings).toEqual({ max_tokens: 50 });
  });

  it('say the schema of the answer in the instructions', async () => {
    await asked(model(), aRequest({ answer }));
    expect(lastAsked()?.instructions).toContain(JSON.stringify(answer));
    expect(lastAsked()?.tools).toEqual([]);
  });

  it('say it by a tool where that is wanted, whose call is the answer', async () => {
    endpoint.script = () => ({ calls: [{ name: 'final_answer', arguments: { word: 'log' } }] });
    const { reply } = await asked(model({ answerBy: 'tool' }), aRequest({ answer, tools: [aTool] }));
    expect(lastAsked()?.tools.map(({ name }) => name)).toEqual(['look_up', 'final_answer']);
    expect(lastAsked()?.settings).toMatchObject({ tool_choice: { type: 'any' } });
    expect(lastAsked()?.instructions).toBe('Answer briefly.');
    expect(reply).toMatchObject({ text: '{"word":"log"}', calls: [], finish: 'answer' });
  });

  it('put work before an answer that comes beside it', async () => {
    const look = { id: 'a', name: 'look_up', arguments: {} };
    endpoint.script = () => ({ calls: [{ name: 'final_answer', arguments: { word: 'log' } }, look] });
    const { reply } = await asked(model({ answerBy: 'tool' }), aRequest({ answer, tools: [aTool] }));
    expect(reply).toMatchObject({ finish: 'calls', calls: [{ id: 'a', name: 'look_up' }] });
  });

  it('leave the name of a tool of ones own alone', async () => {
    const own = { ...aTool, name: 'final_answer' };
    await asked(model({ answerBy: 'tool' }), aRequest({ answer, tools: [own] }));
    expect(lastAsked()?.tools.map(({ name }) => name)).toEqual(['final_answer', 'final_answer_']);
  });

  it('say a schema that is no object in the instructions, whatever is wanted', async () => {
    await asked(model({ answerBy: 'tool' }), aRequest({ answer: { type: 'string' } }));
    expect(lastAsked()?.instructions).toContain('{"type":"string"}');
    expect(lastAsked()?.tools).toEqual([]);
  });

  it('take ids that other endpoints have given, also where these come again', async () => {
    const turn = (id: string): ModelMessage[] => [
      { role: 'assistant', text: '', calls: [{ id, name: 'look_up', arguments: '{}' }] },
      { role: 'tool', callId: id, name: 'look_up', text: 'found' },
    ];
    const messages: ModelMessage[] = [{ role: 'user', text: 'What?' }, ...['call.0', 'call_1', 'call_1'].flatMap(turn)];
    const { error } = await asked(model(), aRequest({ messages, tools: [aTool] }));
    expect(error).toBeNull();
    const ids = lastAsked()?.messages.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : []));
    expect(ids?.slice(1)).toEqual(['call_1', 'call_1_2']);
    expect(new Set(ids).size).toBe(3);
  });

  it('give arguments that were no JSON back as what was written', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', text: 'What?' },
      { role: 'assistant', text: '', calls: [{ id: 'a', name: 'look_up', arguments: '{"word":' }] },
      { role: 'tool', callId: 'a', name: 'look_up', text: 'the arguments are no JSON', failed: true },
    ];
    await asked(model(), aRequest({ messages, tools: [aTool] }));
    const [, assistant, result] = lastAsked()?.messages ?? [];
    expect(assistant).toMatchObject({ calls: [{ arguments: '{"unreadable_arguments":"{\\"word\\":"}' }] });
    expect(result).toMatchObject({ failed: true });
  });

  it('keep arguments as they were written where they come in pieces', async () => {
    endpoint.script = () => ({ calls: [{ id: 'a', name: 'look_up', arguments: '{"word": "cut' }] });
    const { reply } = await asked(model(), aRequest({ tools: [aTool] }));
    expect(reply?.calls).toEqual([{ id: 'a', name: 'look_up', arguments: '{"word": "cut' }]);
  });

  it('leave out what says nothing, and name what has to say something', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', text: ' ' },
      { role: 'assistant', text: '', calls: [] },
      { role: 'user', text: 'What?' },
    ];
    const { error } = await asked(model(), aRequest({ instructions: '', messages }));
    expect(error).toBeNull();
    expect(lastAsked()?.messages.map((one) => ('text' in one ? one.text : ''))).toEqual(['(nothing)', 'What?']);
  });

  it('refuse thoughts beside tools, which a transcript does not hold', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    const before = endpoint.server.requests().length;
    const { error } = await asked(model(), aRequest({ settings: { thinking }, tools: [aTool] }));
    expect(error).toMatchObject({ code: 'model_request_refused', effect: 'none' });
    expect(endpoint.server.requests()).toHaveLength(before);
    expect((await asked(model(), aRequest({ settings: { thinking } }))).error).toBeNull();
  });

  it('tell what was asked for before they break off', async () => {
    endpoint.script = () => ({
      fault: 'cut',
      events: 4,
      reply: { text: 'A log.', usage: { tokensIn: 70, tokensOut: 9 } },
    });
    const { error, used } = await asked(model(), aRequest());
    expect(error).toMatchObject({ code: 'model_unavailable' });
    expect(used).toEqual([{ tokensIn: 70, tokensOut: 1, final: false }]);
  });

  it('count what a cache has read and kept as tokens in', async () => {
    const usage = { input_tokens: 5, cache_creation_input_tokens: 30, cache_read_input_tokens: 200, output_tokens: 2 };
    const said = {
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Yes.' },
      ],
      stop_reason: 'end_turn',
      usage,
    };
    const endpoint = await rawEndpoint(JSON.stringify(said));
    const { reply } = await asked(model({ url: endpoint.url, stream: false }), aRequest());
    endpoint.close();
    expect(reply).toMatchObject({ text: 'Yes.', finish: 'answer', usage: { tokensIn: 235, tokensOut: 2 } });
  });

  it('leave out counts that have not changed', async () => {
    const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const usage = { input_tokens: 5, cache_read_input_tokens: 200, output_tokens: 1 };
    const said = [
      event('message_start', { message: { model: 'small', usage } }),
      event('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: null, cache_read_input_tokens: 200, output_tokens: 7 },
      }),
      event('message_stop', {}),
    ];
    const endpoint = await rawEndpoint(said.join(''), 'text/event-stream');
    const { used } = await asked(model({ url: endpoint.url }), aRequest());
    endpoint.close();
    expect(used).toEqual([
      { tokensIn: 205, tokensOut: 1, final: false },
      { tokensIn: 205, tokensOut: 7, final: true },
    ]);
  });

  it('whose filter refuses the answer have answered with filtered', async () => {
    const message = 'Output blocked by content filtering policy';
    endpoint.script = () => ({ fault: 'status', status: 400, message });
    expect((await asked(model(), aRequest())).reply).toMatchObject({ finish: 'filtered', text: '' });
  });
});
