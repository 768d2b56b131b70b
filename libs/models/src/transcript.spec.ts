import { startModelServer, type Asked, type ModelServer } from '@holdfast/model-server';
import type { ModelCall, ModelMessage, ModelRequest, ModelTool } from '@holdfast/programs';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  option,
  record,
  string,
  type Arbitrary,
} from 'fast-check';
import { anthropicModel } from './anthropic/anthropic.js';
import { calling } from './models.fixture.js';
import { openAiModel } from './openai/openai.js';

let server: ModelServer;
let seen: Asked | null = null;
beforeAll(async () => {
  server = await startModelServer({
    script: (asked) => {
      seen = asked;
      return { text: 'Yes.' };
    },
  });
});
afterAll(() => server.close());

const adapters = [
  { api: 'chat completions', model: () => openAiModel({ url: `${server.url}/v1`, model: 'm', key: null }) },
  { api: 'messages', model: () => anthropicModel({ url: server.url, model: 'm', key: null }) },
];
type Api = (typeof adapters)[number]['api'];

/** The texts, ids and arguments of a transcript: what is usual, or whatever the schema allows. */
type Parts = { readonly text: Arbitrary<string>; readonly id: Arbitrary<string>; readonly written: Arbitrary<string> };

const spoken = string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => `${text.trim()}.`);
const jsonObject = dictionary(string({ maxLength: 8 }), jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
  noNullPrototype: true,
});
const usual: Parts = {
  text: spoken,
  id: string({ unit: constantFrom('a', 'b', 'X', 'Z', '0', '9', '_', '-'), minLength: 1, maxLength: 12 }),
  written: jsonObject.map((value) => JSON.stringify(value)),
};
const anything: Parts = {
  text: string({ unit: 'binary', maxLength: 40 }),
  id: string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  written: string({ maxLength: 30 }),
};

const tools: ModelTool[] = [
  {
    name: 'look_up',
    description: 'Looks up.',
    parameters: { type: 'object', properties: { word: { type: 'string' } } },
  },
  { name: 'file', parameters: { type: 'object' } },
];

const transcriptOf = ({ text, id, written }: Parts): Arbitrary<ModelMessage[]> => {
  const user = text.map((said): ModelMessage[] => [{ role: 'user', text: said }]);
  const call = record({ id, name: constantFrom('look_up', 'file'), arguments: written });
  const turn = record({
    said: option(text, { nil: '' }),
    asked: array(call, { minLength: 1, maxLength: 3 }),
    results: array(record({ text, failed: boolean() }), { minLength: 3, maxLength: 3 }),
    later: option(user, { nil: [] as ModelMessage[] }),
    backwards: boolean(),
  });
  const turns = array(turn, { maxLength: 4 });
  return record({ first: user, turns }).map(({ first, turns: all }) => [
    ...first,
    ...all.flatMap(({ said, asked, results, later, backwards }, at) => {
      const calls = asked.filter((one, nth) => asked.findIndex(({ id: other }) => other === one.id) === nth);
      return [assistant(said, calls), ...answers(calls, results, backwards), ...(at % 2 === 0 ? later : [])];
    }),
  ]);
};

const assistant = (text: string, calls: ModelCall[]): ModelMessage => ({ role: 'assistant', text, calls });
type Result = { readonly text: string; readonly failed: boolean };
const answers = (calls: readonly ModelCall[], results: readonly Result[], backwards: boolean): ModelMessage[] => {
  const all = calls.map(({ id, name }, at): ModelMessage => {
    const { text, failed } = results[at] ?? { text: 'found', failed: false };
    return { role: 'tool', callId: id, name, text, ...(failed ? { failed } : {}) };
  });
  return backwards ? all.toReversed() : all;
};

const requestOf = (parts: Parts): Arbitrary<ModelRequest> =>
  record({ instructions: parts.text, messages: transcriptOf(parts), count: integer({ min: 0, max: 2 }) }).map(
    ({ instructions, messages, count }) => ({
      instructions,
      messages,
      tools: count === 0 ? tools : tools.slice(0, count),
    }),
  );

/** Each id once in the whole transcript, as all endpoints but those of messages do not need it. */
const withOwnIds = (request: ModelRequest): ModelRequest => {
  let turn = 0;
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role === 'assistant') {
      turn += 1;
      return { ...message, calls: message.calls.map((call) => ({ ...call, id: `${call.id}${turn}` })) };
    }
    return message.role === 'tool' ? { ...message, callId: `${message.callId}${turn}` } : message;
  });
  return { ...request, messages };
};

/** What each of the two can carry: the one has no place for `failed`, the other one sends arguments as a value. */
const carried = (messages: readonly ModelMessage[], api: Api): unknown =>
  messages.map((message) => {
    if (api === 'messages' && message.role === 'assistant') {
      const calls = message.calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) as unknown }));
      return { ...message, calls };
    }
    if (api === 'messages' || message.role !== 'tool') return message;
    const { failed: _, ...rest } = message;
    return rest;
  });

describe.each(adapters)('a transcript over $api', ({ api, model }) => {
  it('comes out on the other side as it went in', async () => {
    await assert(
      asyncProperty(requestOf(usual), async (given) => {
        const request = withOwnIds(given);
        await model().complete(request, calling());
        expect(carried(seen?.messages ?? [], api)).toEqual(carried(request.messages, api));
        expect(seen?.tools).toEqual(request.tools);
        expect(seen?.instructions).toBe(request.instructions);
      }),
      { numRuns: 80 },
    );
  });

  it('is never refused, whatever texts, ids and arguments it holds', async () => {
    await assert(
      asyncProperty(requestOf(anything), async (request) => {
        await model().complete(request, calling());
        const roles = request.messages.filter(({ role }) => role === 'tool').length;
        expect(seen?.messages.filter(({ role }) => role === 'tool')).toHaveLength(roles);
      }),
      { numRuns: 80 },
    );
    expect(server.rejected()).toEqual([]);
  });
});
