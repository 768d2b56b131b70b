import { request } from 'node:http';
import { problemSchema, type Problem } from '@holdfast/api';
import { type Client } from '@holdfast/sdk';
import { answered, openGateway, type TestGateway } from './http.fixture.js';

export let gateway: TestGateway | null = null;
/** Closes the gateway that a test has opened. */
export const closeGateway = async (): Promise<void> => {
  await gateway?.close();
  gateway = null;
};

export const calls: unknown[] = [];
export const open = async (
  client: Partial<Client> = {},
  more: Parameters<typeof openGateway>[1] = {},
): Promise<(path: string, options?: RequestInit) => Promise<Response>> => {
  calls.length = 0;
  const { url } = (gateway = await openGateway(client, more));
  return (path, options) => fetch(`${url}${path}`, options);
};
export const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
export const problem = async (response: Response): Promise<Problem> => {
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const body = problemSchema.parse(await response.json());
  expect(body.status).toBe(response.status);
  return body;
};
/** A request with headers that `fetch` would set by itself. */
export const raw = (path: string, method: string, headers: Record<string, string>) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const { port } = new URL(gateway?.url ?? '');
    const asked = request({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      let text = '';
      response.on('data', (data: Buffer) => (text += data.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end();
  });
export const accepting: Partial<Client> = {
  submit: async (asked) => {
    calls.push(asked);
    return answered({ requestId: asked.requestId ?? '', runId: asked.runId });
  },
};
export const order = { runId: 'doc-1', program: { kind: 'plan', steps: [] } };
