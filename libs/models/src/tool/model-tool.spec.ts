import { startModelServer, type ModelServer, type Script } from '@holdfast/model-server';
import { modelReplySchema, type ModelReply } from '@holdfast/programs';
import { runTool } from '@holdfast/sdk';
import { aRequest } from '../models.fixture.js';
import type { Model } from '../model.js';
import { openAiModel } from '../openai/openai.js';
import { modelTool, type ModelToolOptions } from './model-tool.js';

const KEY = 'sk-tool-spec-0123456789';

let script: Script = () => ({ text: 'Yes.' });
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: (request, n) => script(request, n), key: KEY });
});
afterAll(() => server.close());
beforeEach(() => {
  script = () => ({ text: 'Yes.', usage: { tokensIn: 1_000, tokensOut: 200 } });
});

const small = (key = KEY): Model => openAiModel({ url: `${server.url}/v1`, model: 'small', key });
const PRICES = { currency: 'USD', tokensInPerMillion: '0.15', tokensOutPerMillion: '0.60' };
const tool = (options: Partial<ModelToolOptions> = {}) =>
  modelTool({ name: 'small-model', version: '1', model: small(), timeoutMs: 10_000, ...options });

/** A model that says what is known of its tokens and then does as the scenario wants. */
const scripted = (complete: Model['complete']): Model => ({ label: 'model under test', complete });
const REPLY: ModelReply = { text: 'Yes.', calls: [], finish: 'answer', usage: { tokensIn: 10, tokensOut: 2 } };

describe('a model as a tool', () => {
  it('takes a request and gives a reply, may be repeated and says what it is', () => {
    const { policy, inputSchema, outputSchema, description } = tool().catalogueEntry();
    expect(policy).toBe('repeatable');
    expect(description).toContain('Asks a model');
    expect(inputSchema).toMatchObject({ type: 'object', required: ['instructions', 'messages', 'tools'] });
    expect(outputSchema).toMatchObject({ type: 'object' });
  });

  it('is the same tool wherever its endpoint is', () => {
    const elsewhere = openAiModel({ url: 'https://models.example/v1', model: 'large', key: null });
    expect(tool({ model: elsewhere }).catalogueEntry().hash).toBe(tool().catalogueEntry().hash);
  });

  it('answers with what the model says', async () => {
    const run = await runTool(tool(), aRequest());
    expect(run).toMatchObject({ outcome: 'succeeded', result: { text: 'Yes.', finish: 'answer' } });
    if (run.outcome === 'succeeded' && 'result' in run) expect(modelReplySchema.parse(run.result)).toEqual(run.result);
  });

  it('counts what the endpoint says was used, and what it cost to the last digit', async () => {
    expect(await runTool(tool({ prices: PRICES }), aRequest())).toMatchObject({
      used: { tokensIn: 1_000, tokensOut: 200, 'money:USD': '0.00027' },
    });
  });

  it('counts no money where nobody has said what tokens cost', async () => {
    expect((await runTool(tool(), aRequest())).outcome).toBe('succeeded');
    expect((await runTool(tool(), aRequest())) as { used?: object }).toHaveProperty('used', {
      tokensIn: 1_000,
      tokensOut: 200,
    });
  });

  it('says nothing where the endpoint says nothing, so that its whole cost counts', async () => {
    const silent = scripted(() => Promise.resolve(REPLY));
    expect(await runTool(tool({ model: silent }), aRequest())).not.toHaveProperty('used');
  });

  it('counts what a call has used that fails afterwards', async () => {
    const failing = scripted((_, { onUsed }) => {
      onUsed?.({ tokensIn: 40, tokensOut: 5, final: true });
      return Promise.reject(new Error('later'));
    });
    expect(await runTool(tool({ model: failing }), aRequest())).toMatchObject({
      outcome: 'failed',
      used: { tokensIn: 40, tokensOut: 5 },
    });
  });

  it('counts all that an answer could be long where it broke off', async () => {
    const broken = scripted((_, { onUsed }) => {
      onUsed?.({ tokensIn: 40, tokensOut: 1, final: false });
      return Promise.reject(new Error('cut'));
    });
    const cost = { tokensIn: 5_000, tokensOut: 800 };
    expect(await runTool(tool({ model: broken, cost, prices: PRICES }), aRequest())).toMatchObject({
      used: { tokensIn: 40, tokensOut: 800, 'money:USD': '0.000486' },
    });
  });

  it('reserves the money that its tokens cost at most', () => {
    const entry = tool({ cost: { tokensIn: 100_000, tokensOut: 4_000 }, prices: PRICES }).catalogueEntry();
    expect(entry.cost).toEqual({ tokensIn: 100_000, tokensOut: 4_000, 'money:USD': '0.0174' });
  });

  it('reserves the money that it was told to', () => {
    const cost = { tokensIn: 100_000, tokensOut: 4_000, money: { amount: '0.02', currency: 'USD' } };
    expect(tool({ cost, prices: PRICES }).catalogueEntry().cost).toMatchObject({ 'money:USD': '0.02' });
  });

  it('is refused where its cost and its prices are in two currencies', () => {
    const cost = { money: { amount: '0.02', currency: 'EUR' } };
    expect(() => tool({ cost, prices: PRICES })).toThrow('cost is in EUR, but the prices are in USD');
  });

  it.each([
    ['prices that are numbers', { prices: { ...PRICES, tokensInPerMillion: 0.15 } }, 'prices do not fit'],
    ['a cost that is none', { cost: { tokens: 5 }, prices: PRICES }, 'cost does not fit'],
    ['no model', { model: undefined }, 'a model tool needs model'],
  ])('is refused with %s', (_, options, why) => expect(() => tool(options as object)).toThrow(why));

  it('has used nothing where the endpoint refused to begin', async () => {
    script = () => ({ fault: 'status', status: 429, headers: { 'retry-after': '3' } });
    expect(await runTool(tool(), aRequest())).toMatchObject({
      outcome: 'failed',
      failure: { code: 'rate_limited' },
      retry: 'later',
      retryAfterMs: 3_000,
      used: {},
    });
  });

  it('sends nothing when the call may not begin any more', async () => {
    const before = server.requests().length;
    const run = await runTool(tool(), aRequest(), { refusal: () => 'lease' });
    expect(run).toMatchObject({ outcome: 'failed', failure: { code: 'guard_refused' }, used: {} });
    expect(server.requests()).toHaveLength(before);
  });

  it('never tells its key, whatever the endpoint says', async () => {
    script = () => ({ fault: 'status', status: 400, message: `what a bad request with ${KEY}` });
    const run = await runTool(tool(), aRequest());
    expect(run).toMatchObject({ failure: { code: 'model_request_refused' } });
    expect(JSON.stringify(run)).toContain('what a bad request');
    expect(JSON.stringify(run)).not.toContain(KEY);
    script = () => ({ text: `my key is ${KEY}` });
    const told = await runTool(tool(), aRequest());
    expect(JSON.stringify(told)).toContain('my key is');
    expect(JSON.stringify(told)).not.toContain(KEY);
  });
});

describe('text that comes in pieces', () => {
  const streaming = (pieces: readonly string[]): Model =>
    scripted((_, { onText }) => {
      for (const piece of pieces) onText?.(piece);
      return Promise.resolve(REPLY);
    });

  it('is told at once, and then not more often than anybody needs', async () => {
    const { progress } = await runTool(tool({ model: streaming(['A', 'B', 'C', 'D']) }), aRequest());
    expect(progress).toEqual([{ text: 'A' }]);
  });

  it('is told by its end where it is long, with what was left out', async () => {
    const long = `${'a'.repeat(3_000)}ü`;
    const { progress } = await runTool(tool({ model: streaming([long]) }), aRequest());
    expect(progress).toEqual([{ text: `${'a'.repeat(2_046)}ü`, omittedBytes: 954 }]);
  });
});
