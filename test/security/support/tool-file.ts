import { compiledProgram } from '../../e2e/support/compiled.js';
import { from, plan, step } from '../../e2e/support/plans.js';

const tool = { version: '1', timeoutMs: 20_000 };
const keyOf = (name: string) => ({ $env: `CANARY_${name}` });

/** What of a tool file has secrets, each by reference, against a server that answers with whatever it was sent. */
const sections = (origin: string): Readonly<Record<string, object>> => ({
  models: ['said', 'refused'].map((path) => ({
    ...tool,
    name: `model-${path}`,
    endpoint: 'openai',
    model: 'echo',
    url: `${origin}/${path}`,
    key: keyOf('MODEL_KEY'),
    headers: { 'x-api-key': '${env:CANARY_MCP_HEADER}' },
    stream: false,
  })),
  mcp: {
    leaky: {
      version: '1',
      command: process.execPath,
      args: [compiledProgram('leaky-mcp')],
      env: { OWN_KEY: keyOf('MCP_ENV') },
      tools: { tell: { policy: 'repeatable' }, fail: { policy: 'repeatable' } },
    },
  },
  probes: {
    tools: [
      {
        ...tool,
        kind: 'postgres-row',
        name: 'row',
        // Nobody is there: it fails with what it was told of the database.
        connection: 'postgres://app:${env:CANARY_BEARER}@127.0.0.1:1/nowhere',
        table: 'rows',
        keyColumn: 'key',
        input: { type: 'object', properties: { who: { type: 'string' } }, additionalProperties: false },
        columns: ['who'],
      },
    ],
  },
  http: {
    egress: { addresses: ['127.0.0.0/8'] },
    tools: ['said', 'refused'].map((path) => ({
      ...tool,
      name: `http-${path}`,
      method: 'POST',
      url: `${origin}/${path}`,
      auth: { bearer: keyOf('BEARER') },
      headers: { 'x-api-key': '${env:CANARY_MCP_HEADER}' },
      query: { key: keyOf('MODEL_KEY') },
      body: { json: { key: keyOf('MCP_ENV') } },
      policy: 'repeatable',
    })),
  },
});

/** A tool file with all of them. */
export const toolFile = (origin: string): string => JSON.stringify(sections(origin));

const question = { instructions: 'Answer.', messages: [{ role: 'user', text: 'Who am I?' }], tools: [] };
const once = { retry: { triesMax: 1 }, onFailure: 'continue' } as const;

/** Calls each of them; some of them fail, and the run does not. */
export const callsOfFile = plan(
  [
    ...['model-said', 'model-refused'].map((name) => step(name, name, question, once)),
    ...['leaky.tell', 'leaky.fail', 'http-said', 'http-refused'].map((name) =>
      step(name.replace('.', '-'), name, {}, once),
    ),
    step('row', 'row', { who: 'ann' }, once),
  ],
  { output: { model: from('steps.model-said'), http: from('steps.http-said'), mcp: from('steps.leaky-tell') } },
);
