import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { toolsFromSection } from '@holdfast/mcp-tools';
import { runTool, silentLogger, type SectionTools, type Tool } from '@holdfast/sdk';

type Message = {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly protocolVersion?: string };
};
type Conduct = (response: http.ServerResponse, message: Message, request: http.IncomingMessage) => void;

const json = (response: http.ServerResponse, id: number | undefined, result: object): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
};
const said = (text: string) => ({ content: [{ type: 'text', text }] });
const event = (id: number | undefined, text: string): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: said(text) })}\n\n`;

/** An MCP server over HTTP whose calls go as they are told; `calls` counts those that have arrived. */
let server: http.Server;
let conduct: Conduct;
let calls: number;
let session: string | null;
let seen: http.IncomingHttpHeaders;
let opened: SectionTools[];
beforeEach(async () => {
  [calls, opened, session, conduct] = [0, [], null, (response, { id }) => json(response, id, said('done'))];
  server = http.createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message, request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await Promise.all(opened.map(async (one) => one.close?.()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const answer = (message: Message, request: http.IncomingMessage, response: http.ServerResponse): void => {
  const { id, method, params } = message;
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'initialize') {
    if (session !== null) response.setHeader('mcp-session-id', session);
    const serverInfo = { name: 'far', version: '1' };
    return json(response, id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'ping') return json(response, id, {});
  if (method === 'tools/list') {
    return json(response, id, { tools: [{ name: 'write', inputSchema: { type: 'object' } }] });
  }
  calls += 1;
  seen = request.headers;
  conduct(response, message, request);
};

const open = async (more: object = {}): Promise<Tool> => {
  const far = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    version: '1',
    callMs: 5_000,
    ...more,
  };
  const made = await toolsFromSection({ far }, { file: 'tools.yaml', directory: '.', logger: silentLogger });
  opened.push(made);
  return made.tools[0] as Tool;
};

describe('a tool of an MCP server over HTTP', () => {
  it('is called once, with the headers that the file names by reference', async () => {
    process.env['FAR_TOKEN'] = 'far-token-1234567';
    const tool = await open({ headers: { Authorization: 'Bearer ${env:FAR_TOKEN}' } });
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'succeeded', result: said('done') });
    expect([calls, seen.authorization]).toEqual([1, 'Bearer far-token-1234567']);
    conduct = (response, { id }, request) => json(response, id, said(request.headers.authorization ?? ''));
    expect(await runTool(tool, {})).toMatchObject({ result: said('Bearer [secret FAR_TOKEN]') });
  });

  it('answers in a stream of events as well', async () => {
    conduct = (response, { id }) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`: hello\n\n${event(id, 'a\u2028b')}`);
    expect(await runTool(await open(), {})).toMatchObject({ outcome: 'succeeded', result: said('a\u2028b') });
  });

  it('may have many events before its answer, each of which counts by itself', async () => {
    conduct = (response, { id }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const told = {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', data: 'x'.repeat(20_000) },
      };
      for (let at = 0; at < 10; at += 1) {
        response.write(`data: ${JSON.stringify(told)}\n`);
        response.write('\n');
      }
      response.end(event(id, 'last'));
    };
    const tool = await open({ answerBytes: 65_536 });
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'succeeded', result: said('last') });
  });

  it('is not sent where the guard refuses', async () => {
    const ended = await runTool(await open(), {}, { refusal: () => 'deadline' });
    expect(ended).toMatchObject({ outcome: 'failed', failure: { code: 'guard_refused' } });
    expect(calls).toBe(0);
  });

  it('is surely not called where nobody listens any more', async () => {
    server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
    const tool = await open();
    await new Promise((resolve) => server.close(resolve));
    const ended = await runTool(tool, {});
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'later', failure: { code: 'mcp_not_sent' } });
    expect((ended as { failure: { message: string } }).failure.message).toContain('ECONNREFUSED');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  it('was not taken where the server does not know the session any more, and a new one is opened', async () => {
    session = 'one';
    const tool = await open();
    conduct = (response, { id }, { headers }) =>
      headers['mcp-session-id'] === 'two' ? json(response, id, said('done')) : response.writeHead(404).end();
    session = 'two';
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'failed', failure: { code: 'mcp_session_over' } });
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'succeeded' });
  });

  it('that is refused by a status has its word for it, as with any error', async () => {
    conduct = (response) => response.writeHead(403).end('not you');
    expect(await runTool(await open(), {})).toMatchObject({ outcome: 'unknown', failure: { code: 'mcp_tool_error' } });
    const promised = { tools: { write: { policy: 'unprotected', errors: 'none' } } };
    expect(await runTool(await open(promised), {})).toMatchObject({
      outcome: 'failed',
      failure: { code: 'mcp_tool_error' },
    });
  });

  const failures: readonly (readonly [string, Conduct])[] = [
    ['is refused with 503', (response) => response.writeHead(503).end('later')],
    ['is cut off', (response) => response.destroy()],
    ['is answered with what is no JSON', (response) => json(response, undefined, { a: 1 })],
    [
      'gets a stream that ends before the answer',
      (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: 1\ndata:\n\n'),
    ],
    [
      'gets a stream that is cut off',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\ndata:\n\n');
        setImmediate(() => response.destroy());
      },
    ],
    ['gets more than it may', (response, { id }) => json(response, id, said('x'.repeat(200_000)))],
    [
      'gets an event that is more than it may',
      (response, { id }) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event(id, 'x'.repeat(200_000))),
    ],
    ['is sent elsewhere', (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/other' }).end()],
    ['has an answer that never comes', () => undefined],
  ];
  it.each(failures)('may have acted when it %s, and is not called again', async (_, how) => {
    const tool = await open({ answerBytes: 65_536 });
    conduct = how;
    const ended = await runTool(tool, {}, { signal: AbortSignal.timeout(700) });
    expect(ended).toMatchObject({ outcome: 'unknown' });
    expect(calls).toBe(1);
    conduct = (response, { id }) => json(response, id, said('next'));
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'succeeded', result: said('next') });
  });
});
