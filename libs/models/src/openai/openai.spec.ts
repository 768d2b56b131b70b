import { aRequest, asked, aTool, rawEndpoint } from '../models.fixture.js';
import { openAiModel, type OpenAiOptions } from './openai.js';
import { scriptedEndpoint } from '../../../../test/support/scripted-endpoint.js';

const KEY = 'sk-openai-spec-0123456789';

const endpoint = scriptedEndpoint(KEY);

const model = (options: Partial<OpenAiOptions> = {}) =>
  openAiModel({ url: `${endpoint.server.url}/v1`, model: 'small', key: KEY, ...options });
const lastRequest = () => endpoint.server.requests().at(-1);

describe('chat completions', () => {
  it.each([true, false])('keep arguments as they were written, with stream: %s', async (stream) => {
    endpoint.script = () => ({ calls: [{ id: 'a', name: 'look_up', arguments: '{"word": "cut' }] });
    const { reply } = await asked(model({ stream }), aRequest({ tools: [aTool] }));
    expect(reply?.calls).toEqual([{ id: 'a', name: 'look_up', arguments: '{"word": "cut' }]);
  });

  it('that end because of a filter have answered with filtered', async () => {
    endpoint.script = () => ({ text: 'A', finish: 'filtered' });
    expect((await asked(model(), aRequest())).reply).toMatchObject({ text: 'A', finish: 'filtered' });
  });

  it('get no more of the description of a tool than they take', async () => {
    const long = { ...aTool, description: 'x'.repeat(2_000) };
    await asked(model(), aRequest({ tools: [long] }));
    expect(lastRequest()?.asked?.tools[0]?.description).toBe(`${'x'.repeat(1_023)}…`);
    const { error } = await asked(model({ toolDescriptionMax: 2_000 }), aRequest({ tools: [long] }));
    expect(error).toMatchObject({ code: 'model_request_refused' });
  });

  it('hear of settings about calls only beside tools', async () => {
    const settings = { tool_choice: 'required', parallel_tool_calls: false, seed: 7 };
    await asked(model({ settings }), aRequest());
    expect(lastRequest()?.asked?.settings).toEqual({ seed: 7 });
    await asked(model({ settings }), aRequest({ tools: [aTool] }));
    expect(lastRequest()?.asked?.settings).toEqual(settings);
  });

  it('that say in each piece what is used so far, and break off, have not said the last word', async () => {
    const piece = { choices: [{ delta: { content: 'A' } }], usage: { prompt_tokens: 9, completion_tokens: 1 } };
    const endpoint = await rawEndpoint(`data: ${JSON.stringify(piece)}\n\n`, 'text/event-stream');
    const { error, used } = await asked(model({ url: endpoint.url }), aRequest());
    endpoint.close();
    expect(error).toMatchObject({ code: 'model_reply_unreadable' });
    expect(used).toEqual([{ tokensIn: 9, tokensOut: 1, final: false }]);
  });

  it('tell the schema of the answer by response_format', async () => {
    const answer = { type: 'object', properties: { word: { type: 'string' } } };
    await asked(model(), aRequest({ answer }));
    expect(lastRequest()?.asked).toMatchObject({ answer, instructions: 'Answer briefly.' });
  });

  it('tell it in the instructions where response_format is not known', async () => {
    const answer = { type: 'object', properties: { word: { type: 'string' } } };
    await asked(model({ answerBy: 'instructions' }), aRequest({ answer }));
    expect(lastRequest()?.asked?.answer).toBeUndefined();
    expect(lastRequest()?.asked?.instructions).toContain(JSON.stringify(answer));
  });

  it('whose filter refuses the question have answered with filtered', async () => {
    endpoint.script = () => ({ fault: 'status', status: 400, code: 'content_filter' });
    expect((await asked(model(), aRequest())).reply).toMatchObject({ finish: 'filtered', text: '' });
  });

  it('that are not to be asked what was used say nothing of it', async () => {
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
