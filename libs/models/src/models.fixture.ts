import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelReply, ModelRequest } from '@holdfast/programs';
import type { CompleteOptions, Model, Used } from './model.js';

/** A request of which a scenario says what matters to it. */
export const aRequest = (parts: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Answer briefly.',
  messages: [{ role: 'user', text: 'What is a log?' }],
  tools: [],
  ...parts,
});

export const aTool = {
  name: 'look_up',
  description: 'Looks a word up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
} as const;

/** A call whose time is long enough for any test. */
export const calling = (parts: Partial<CompleteOptions> = {}): CompleteOptions => ({
  signal: new AbortController().signal,
  deadline: Date.now() + 60_000,
  key: 'run-key/step',
  ...parts,
});

/** What a call ended with: its reply, or what it threw; and what it told of tokens. */
export const asked = async (
  model: Model,
  request: ModelRequest,
  parts: Partial<CompleteOptions> = {},
): Promise<{ readonly reply: ModelReply | null; readonly error: unknown; readonly used: readonly Used[] }> => {
  const used: Used[] = [];
  const options = calling({ onUsed: (one) => void used.push(one), ...parts });
  return model.complete(request, options).then(
    (reply) => ({ reply, error: null, used }),
    (error: unknown) => ({ reply: null, error, used }),
  );
};

/** An endpoint that answers every request with these bytes, for what no script should say. */
export const rawEndpoint = async (
  body: string,
  contentType = 'application/json',
): Promise<{ readonly url: string; readonly close: () => void }> => {
  const server: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
};
