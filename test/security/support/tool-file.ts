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
    ...['http-said', 'http-refused'].map((name) => step(name, name, {}, once)),
  ],
  { output: { model: from('steps.model-said'), http: from('steps.http-said') } },
);
