import type { Role } from '@holdfast/api';
import { NoAnswer, RequestRefused, type Client as HoldfastClient } from '@holdfast/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { accessBy, MemoryTokens } from '../auth/access.fixture.js';
import { answered } from '../http.fixture.js';
import { calls, closeGateway, gateway, open, post, problem, raw } from '../requesting.fixture.js';

const store = new MemoryTokens();
const tokenOf = (...roles: readonly Role[]) => store.give(roles.join('-') || 'guest', roles);
const asked = (name: string) => async (first: unknown, second?: unknown) => {
  calls.push([name, first, second]);
  return answered();
};
const willing: Partial<HoldfastClient> = { submit: asked('submit'), cancel: asked('cancel'), answer: asked('answer') };

const opened: Client[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
  await closeGateway();
});

/** The official client before the gateway that the test has opened. */
const connect = async (headers: Record<string, string> = {}): Promise<Client> => {
  const client = new Client({ name: 'a-model', version: '1.0.0' });
  const url = new URL('/mcp', gateway?.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as Transport);
  opened.push(client);
  return client;
};
const by = (token: string) => ({ authorization: `Bearer ${token}` });
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: args });
  const [{ text = '' } = {}] = content as readonly { readonly text?: string }[];
  return { isError, text, said: structuredContent as Record<string, unknown> | undefined };
};
const order = { runId: 'doc-1', program: { kind: 'plan', steps: [] } };

const runsTools = ['list_runs', 'get_run', 'explain_run'];
const reading = [...runsTools, 'list_steps', 'get_step', 'read_part', 'list_escalations', 'list_tools'];
const openFor = (client: Partial<HoldfastClient>, mcp: 'read' | 'write', more: object = {}) =>
  open(client, { settings: { mcp, ...more }, parts: { access: accessBy(store) } });

describe('the tools that a model sees', () => {
  it.each<[readonly Role[], readonly string[]]>([
    [['viewer'], []],
    [['operator'], ['submit_run', 'cancel_run']],
    [['approver'], ['answer_escalation']],
    [['admin'], ['submit_run', 'cancel_run', 'answer_escalation']],
  ])('with the roles %j are those that look, and %j', async (roles, more) => {
    await openFor(willing, 'write');
    expect(await namesOf(await connect(by(tokenOf(...roles))))).toEqual([...reading, ...more]);
  });

  it('are those that look, whatever the roles, where the gateway is opened for no more', async () => {
    await openFor(willing, 'read');
    const client = await connect(by(tokenOf('admin')));
    expect(await namesOf(client)).toEqual(reading);
    const { isError, text } = await call(client, 'submit_run', order);
    expect([isError, text]).toEqual([true, expect.stringMatching(/^read_only: submit_run is not offered here/)]);
    expect(calls).toEqual([]);
  });
});

describe('a tool that changes something', () => {
  it('is refused to whoever lacks the role, as the route is', async () => {
    await openFor(willing, 'write');
    const client = await connect(by(tokenOf('viewer')));
    const { isError, text } = await call(client, 'cancel_run', { runId: 'doc-1' });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^role_missing: token:viewer does not have the role operator/),
    ]);
    const operator = await connect(by(tokenOf('operator')));
    expect((await call(operator, 'answer_escalation', { runId: 'doc-1', escalation: 7, choice: 'a' })).text).toContain(
      'does not have the role approver',
    );
    expect(calls).toEqual([]);
  });

  it('asks for the same as the route, by the name of the token', async () => {
    await openFor(willing, 'write');
    const client = await connect(by(tokenOf('admin')));
    const { said } = await call(client, 'submit_run', { ...order, labels: { team: 'shop' }, waitMs: 1 });
    expect(said).toMatchObject({ runId: 'doc-1', outcome: 'accepted' });
    await call(client, 'cancel_run', { runId: 'doc-1', reason: 'sold out', mode: 'drain' });
    const principal = 'token:admin';
    expect(calls).toMatchObject([
      ['submit', { ...order, labels: { team: 'shop' }, principal, answerWithinMs: 1 }, undefined],
      ['cancel', 'doc-1', { reason: 'sold out', mode: 'drain', principal, answerWithinMs: 10_000 }],
    ]);
  });

  it('is the same answer when it is said again, and another one from somebody else', async () => {
    await openFor(willing, 'write');
    const answer = { runId: 'doc-1', escalation: 7, choice: 'answer', value: { limit: 3 } };
    const [ann, bob] = [await connect(by(tokenOf('approver'))), await connect(by(tokenOf('admin')))];
    await call(ann, 'answer_escalation', answer);
    await call(ann, 'answer_escalation', answer);
    await call(bob, 'answer_escalation', answer);
    await call(ann, 'answer_escalation', { ...answer, value: { limit: 4 } });
    const ids = calls.map((one) => (one as [string, string, { requestId: string }])[2].requestId);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });

  it('says what is wrong and what to do: a run id that is taken, an answer that never came', async () => {
    const taken = {
      ...answered({ code: 'run_id_taken', message: 'it belongs to another' }),
      outcome: 'refused' as const,
    };
    const client: Partial<HoldfastClient> = {
      submit: () => Promise.reject(new RequestRefused(taken)),
      cancel: () => Promise.reject(new NoAnswer('nobody answered', { requestId: 'q-1', landed: true } as never)),
    };
    await openFor(client, 'write');
    const model = await connect(by(tokenOf('operator')));
    const { isError, text } = await call(model, 'submit_run', order);
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^run_id_taken: it belongs to another\n.*choose another id\.$/s),
    ]);
    expect((await call(model, 'cancel_run', { runId: 'doc-1' })).said).toMatchObject({
      outcome: 'pending',
      next: expect.stringContaining('does nothing twice') as string,
    });
  });

  it('names each argument that is wrong, and asks nobody', async () => {
    await openFor(willing, 'write');
    const client = await connect(by(tokenOf('admin')));
    const { text } = await call(client, 'submit_run', { runId: 'a b', program: '{"kind":"plan"}', walk: 1 });
    expect(text).toMatch(/^invalid_input: The arguments are wrong\.\n/);
    for (const place of ['- runId: ', '- program: must be an object', '- walk: is not known'])
      expect(text).toContain(place);
    expect((await call(client, 'cancel_runs')).text).toContain('unknown_tool: There is no tool cancel_runs here');
    expect(calls).toEqual([]);
  });
});

describe('a tool that looks', () => {
  it('says that the database is away, and that it may be called again', async () => {
    await openFor(willing, 'read');
    const client = await connect(by(tokenOf('viewer')));
    expect((await call(client, 'get_run', { runId: 'doc-1' })).text).toMatch(
      /^database_unavailable: .*\nCall it again/s,
    );
  });
});

describe('the door for models', () => {
  it('is closed unless somebody opens it', async () => {
    const ask = await open(willing);
    const said = await problem(await ask('/mcp', post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })));
    expect(said).toMatchObject({
      status: 404,
      code: 'mcp_off',
      advice: expect.stringContaining('HOLDFAST_MCP') as string,
    });
  });

  it('lets in whoever says who they are, and counts them', async () => {
    const ask = await openFor(willing, 'write', { ratePerMinute: 1 });
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await problem(await ask('/mcp', post(message)))).code).toBe('unauthenticated');
    expect((await problem(await ask('/mcp', post(message, by('nonsense'))))).code).toBe('invalid_token');
    const headers = { ...by(tokenOf('viewer')), accept: 'application/json, text/event-stream' };
    expect((await ask('/mcp', post(message, headers))).status).toBe(200);
    expect((await problem(await ask('/mcp', post(message, headers)))).code).toBe('too_many_requests');
  });

  it('takes one message at a time, so that a limit counts each', async () => {
    const ask = await openFor(willing, 'write');
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { ...by(tokenOf('viewer')), accept: 'application/json, text/event-stream' };
    expect((await problem(await ask('/mcp', post([message, message], headers)))).code).toBe('invalid_input');
  });

  it('has no streams and no sessions', async () => {
    const ask = await openFor(willing, 'write');
    const headers = { ...by(tokenOf('viewer')), accept: 'application/json, text/event-stream' };
    for (const method of ['GET', 'DELETE']) {
      const response = await ask('/mcp', { method, headers });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const response = await ask('/mcp', post(message, headers));
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['GET', 'POST', 'DELETE'])(
    'keeps out %s of pages of others, and names that only lead here',
    async (method) => {
      await open(willing, { settings: { mcp: 'write' } });
      const foreign = await raw('/mcp', method, { origin: 'https://evil.example' });
      expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining('foreign_origin')]);
      const rebound = await raw('/mcp', method, { host: 'evil.example' });
      expect([rebound.status, rebound.text]).toEqual([403, expect.stringContaining('foreign_host')]);
    },
  );

  it('asks nobody who they are where nobody is asked, and takes the name that they give', async () => {
    await open(willing, { settings: { mcp: 'write' } });
    await call(await connect({ 'x-holdfast-principal': 'model:helper' }), 'submit_run', order);
    expect(calls).toMatchObject([['submit', { principal: 'model:helper' }, undefined]]);
  });
});
