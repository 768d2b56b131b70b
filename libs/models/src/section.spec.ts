import { readFileSync } from 'node:fs';
import { startModelServer, type ModelServer } from '@holdfast/model-server';
import { InvalidTool, runTool, silentLogger } from '@holdfast/sdk';
import { parse } from 'yaml';
import { aRequest } from './models.fixture.js';
import { toolsFromSection } from './section.js';

const KEY = 'sk-section-spec-0123456789';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({
    script: () => ({ text: 'Yes.', usage: { tokensIn: 1_000, tokensOut: 200 } }),
    key: KEY,
  });
});
afterAll(() => server.close());
beforeEach(() => {
  process.env['SECTION_SPEC_KEY'] = KEY;
});
afterEach(() => {
  delete process.env['SECTION_SPEC_KEY'];
});

const small = (more: object = {}) => ({
  name: 'small-model',
  version: '1',
  endpoint: 'openai',
  url: `${server.url}/v1`,
  key: { $env: 'SECTION_SPEC_KEY' },
  model: 'small',
  timeoutMs: 10_000,
  ...more,
});
const load = (section: unknown, warned: string[] = []) => {
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warned.push(message) };
  return toolsFromSection(section, { file: 'tools.yaml', directory: '.', logger });
};
const refusal = async (section: unknown): Promise<string> => {
  const error = await load(section).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InvalidTool);
  return (error as Error).message;
};

/** The first block of that language on the page about models. */
const onThePage = (language: string): string => {
  const page = readFileSync(new URL('../../../docs/models.md', import.meta.url), 'utf8');
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';
};

describe('the section models of a tool file', () => {
  it('is, as the page shows it, one that can be used', async () => {
    const { models } = parse(onThePage('yaml')) as { models: unknown };
    const { tools } = await load(models);
    expect(tools.map(({ ref }) => ref)).toEqual(['small-model@1', 'local-model@1', 'large-model@1']);
    expect(tools[0]?.catalogueEntry().cost).toEqual({ tokensIn: 20_000, tokensOut: 500, 'money:USD': '0.006' });
  });

  it.each([
    ['openai', () => `${server.url}/v1`, {}],
    ['anthropic', () => server.url, { maxTokens: 100 }],
  ])('makes a tool of a model behind %s', async (endpoint, url, more) => {
    const cost = { tokensIn: 8_000, tokensOut: 1_000 };
    const prices = { currency: 'USD', tokensInPerMillion: '0.15', tokensOutPerMillion: '0.60' };
    const { tools } = await load([
      small({ endpoint, url: url(), settings: { temperature: 0 }, cost, prices, ...more }),
    ]);
    const [tool] = tools;
    if (tool === undefined) throw new Error('there is no tool');
    expect(tool.ref).toBe('small-model@1');
    expect(tool.catalogueEntry()).toMatchObject({ policy: 'repeatable', cost: { 'money:USD': '0.0018' } });
    expect(await runTool(tool, aRequest())).toMatchObject({
      result: { text: 'Yes.' },
      used: { tokensIn: 1_000, tokensOut: 200, 'money:USD': '0.00027' },
    });
    expect(server.requests().at(-1)?.asked?.settings).toMatchObject({ temperature: 0 });
  });

  it('sends the headers that it names, secrets among them by reference', async () => {
    const headers = {
      'x-team': 'papers',
      'api-key': { $env: 'SECTION_SPEC_KEY' },
      'x-token': 'Bearer ${env:SECTION_SPEC_KEY}',
    };
    const { tools } = await load([small({ headers })]);
    await runTool(tools[0]!, aRequest());
    expect(server.requests().at(-1)?.headers).toMatchObject({
      'x-team': 'papers',
      'api-key': KEY,
      'x-token': `Bearer ${KEY}`,
    });
  });

  it('loads without the key, says so, and fails only when the model is called', async () => {
    delete process.env['SECTION_SPEC_KEY'];
    const warned: string[] = [];
    const { tools } = await load([small()], warned);
    expect(warned).toEqual([
      'models[0].key: there is no secret SECTION_SPEC_KEY here: where small-model is called without it, the call fails',
    ]);
    expect(await runTool(tools[0]!, aRequest())).toMatchObject({
      outcome: 'failed',
      failure: { code: 'model_not_configured' },
      retry: 'never',
    });
  });

  it.each<[string, () => unknown, string]>([
    ['a list that is none', () => ({}), 'models: '],
    ['a list of nothing', () => [], 'models: '],
    ['another endpoint', () => [small({ endpoint: 'gemini' })], 'models[0].endpoint: must be openai'],
    ['a key in the file', () => [small({ key: KEY })], 'models[0].key: must be { $env: NAME }'],
    ['no key', () => [small({ key: undefined })], 'models[0].key: must be { $env: NAME }'],
    ['a reference that is misspelt', () => [small({ key: { $evn: 'A' } })], 'models[0].key.$evn: is not known here'],
    ['a field that is not known', () => [small({ temperature: 0 })], 'models[0].temperature: is not known here'],
    ['a field of the other endpoint', () => [small({ maxTokens: 9 })], 'models[0].maxTokens: is not known here'],
    [
      'a secret in a header',
      () => [small({ headers: { Authorization: `Bearer ${KEY}` } })],
      'models[0].headers.Authorization: looks like a secret',
    ],
    [
      'a price that is a number',
      () => [small({ prices: { currency: 'USD', tokensInPerMillion: 0.1, tokensOutPerMillion: '1' } })],
      'models[0].prices.tokensInPerMillion: ',
    ],
    [
      'two currencies',
      () => [
        small({
          cost: { money: { amount: '1', currency: 'EUR' } },
          prices: { currency: 'USD', tokensInPerMillion: '1', tokensOutPerMillion: '1' },
        }),
      ],
      'models[0]: cost is in EUR',
    ],
    [
      'a URL that is none',
      () => [small({ url: 'models.example' })],
      'models[0]: the URL of a model must begin with http',
    ],
    [
      'a setting that is none',
      () => [small({ settings: { messages: [] } })],
      'models[0]: messages cannot be a setting',
    ],
    [
      'a name that is none',
      () => [small(), small({ name: '1 model' })],
      'models[1]: tool 1 model@1: name must start with a letter',
    ],
  ])('is refused with %s, with the place', async (_, section, why) => {
    const said = await refusal(section());
    expect(said).toContain(why);
    expect(said).not.toContain(KEY);
  });
});
