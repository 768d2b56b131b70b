import type { Role } from '@holdfast/api';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { detail, huge, long, question, summary, type Answers } from './answers.fixture.js';
import { AskFailed, type Ask } from './ask.js';
import { ANSWER_MAX } from './bounds.js';
import { mcpServer, modelTools, type McpPorts } from './server.js';

const closing: Client[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((client) => client.close()));
});

/** The official client before a server whose gateway answers by route; `asked` is what it was asked. */
const connect = async (answers: Answers, more: Partial<McpPorts> = {}) => {
  const asked: [string, unknown][] = [];
  const failures: unknown[] = [];
  const ask = (async (route, what) => {
    asked.push([route.id, what]);
    const answer = answers[route.id];
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? (answer as (given: unknown) => unknown)(what) : answer;
  }) as Ask;
  const server = mcpServer({
    ask,
    roles: async (): Promise<readonly Role[]> => ['admin'],
    caller: 'ann',
    readOnly: false,
    version: '1.0.0',
    failed: (error) => failures.push(error),
    ...more,
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'a-model', version: '1.0.0' });
  await Promise.all([server.connect(here), client.connect(there)]);
  // With the schemas of the answers the client checks each of them.
  await client.listTools();
  closing.push(client);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false, structuredContent = {} } = await client.callTool({ name, arguments: args });
    const [{ text = '' } = {}] = content as readonly { readonly text?: string }[];
    return { isError, text, said: structuredContent as Record<string, unknown> };
  };
  return { client, call, asked, failures };
};

describe('an answer', () => {
  it.each<[string, Record<string, unknown>]>([
    ['list_runs', { limit: 20 }],
    ['get_run', { runId: 'r' }],
    ['explain_run', { runId: 'r' }],
    ['list_steps', { runId: 'r', limit: 40 }],
    ['get_step', { runId: 'r', stepId: 's' }],
    ['list_escalations', { limit: 8 }],
    ['list_tools', { limit: 40 }],
    ['list_tools', { limit: 1, tool: '0' }],
    ['submit_run', { runId: 'r', program: { kind: 'plan', steps: [] } }],
    ['cancel_run', { runId: 'r' }],
    ['answer_escalation', { runId: 'r', escalation: 7, choice: 'yes' }],
    ['read_part', { part: 'output', runId: 'r' }],
  ])('of %s with %j has a bound, whatever the gateway answers', async (name, args) => {
    const { call } = await connect(huge);
    const { isError, text, said } = await call(name, args);
    expect([isError, JSON.parse(text)]).toEqual([false, said]);
    expect(text.length).toBeLessThanOrEqual(ANSWER_MAX);
  });

  it('that would be longer is none, and says how to get less', async () => {
    const items = Array.from({ length: 2_000 }, () => summary);
    const { call } = await connect({ listRuns: { items, next: null } });
    expect(await call('list_runs')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^too_large: .*limit/),
    });
  });

  it.each<[string, Record<string, unknown>, string, unknown]>([
    ['get_run', { runId: 'r' }, 'output', detail.output],
    ['get_run', { runId: 'r' }, 'program', detail.program],
    ['get_step', { runId: 'r', stepId: 's' }, 'args', { text: long(200_000) }],
  ])('of %s with %j leaves out %s, which is read piece by piece', async (name, args, field, whole) => {
    const { call } = await connect(huge);
    const { said } = await call(name, args);
    const { omitted } = said[field] as { omitted: { characters: number; readPartWith: object } };
    expect(omitted.characters).toBe(JSON.stringify(whole).length);
    let text = '';
    for (let offset: number | null = 0; offset !== null;) {
      const piece = (await call('read_part', { ...omitted.readPartWith, offset })).said;
      text += String(piece['text']);
      offset = piece['nextOffset'] as number | null;
    }
    expect(JSON.parse(text)).toEqual(whole);
  });

  it('leaves out what is shown of an escalation and of a tool, each with what reads it', async () => {
    const { call } = await connect(huge);
    const escalations = (await call('list_escalations')).said['escalations'] as { context: { omitted: object } }[];
    expect(escalations[0]?.context.omitted).toMatchObject({ readPartWith: { part: 'escalation', escalation: 7 } });
    const read = await call('read_part', { part: 'escalation', runId: 'r', escalation: 7 });
    expect(read.said['characters']).toBe(JSON.stringify(question).length);
    const tools = (await call('list_tools', { tool: 'a', limit: 1 })).said['tools'] as { inputSchema: object }[];
    expect(tools[0]?.inputSchema).toMatchObject({ omitted: { readPartWith: { part: 'inputSchema' } } });
  });
});

describe('read_part', () => {
  it.each([
    [{ part: 'args', runId: 'r' }, 'stepId must be given for the part args'],
    [{ part: 'output' }, 'runId must be given for the part output'],
    [{ part: 'inputSchema' }, 'tool must be given for the part inputSchema'],
    [{ part: 'output', runId: 'r', offset: 10_000_000 }, 'offset is beyond the end: the part has'],
    [{ part: 'escalation', runId: 'r', escalation: 8 }, 'Run r has no escalation 8'],
    [{ part: 'inputSchema', tool: 'none@1' }, 'There is no tool none@1'],
    [{ part: 'walk', runId: 'r' }, '- part: Invalid option'],
  ])('with %j says that %s', async (args, said) => {
    const none = { items: [], next: null };
    const { call } = await connect({ ...huge, listQuestions: none, listTools: none });
    expect(await call('read_part', args)).toMatchObject({ isError: true, text: expect.stringContaining(said) });
  });
});

describe('a tool', () => {
  it.each(modelTools.map(({ name }) => name))(
    '%s is described: what it takes, what it gives, what it does',
    async (name) => {
      const { client } = await connect({});
      const tool = (await client.listTools()).tools.find((one) => one.name === name);
      expect(tool?.description).toMatch(/^[A-Z].{60,}\.$/s);
      expect(tool?.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      const { limit: _, ...fields } = tool?.inputSchema.properties ?? {};
      for (const field of Object.values(fields)) expect(field).toHaveProperty('description');
      // Several clients hand no references on to their models.
      expect(JSON.stringify(tool)).not.toContain('$ref"');
      expect(tool?.outputSchema?.type).toBe('object');
      const isWriting = ['submit_run', 'cancel_run', 'answer_escalation'].includes(name);
      expect(tool?.annotations).toMatchObject({ readOnlyHint: !isWriting, openWorldHint: isWriting });
      if (isWriting) expect(tool?.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
    },
  );

  it('tells what the gateway has refused with code, places, details and what to do', async () => {
    const failure = {
      code: 'invalid_program',
      detail: 'steps[0].tool: no tool walk@1 is registered',
      errors: [{ at: 'body.program', message: 'is no plan' }],
      details: [{ at: 'steps[0].tool' }],
    };
    const { call } = await connect({ submitRun: new AskFailed(failure) });
    const { isError, text } = await call('submit_run', { runId: 'r', program: {} });
    expect([isError, text.split('\n')]).toEqual([
      true,
      [
        'invalid_program: The arguments are wrong.',
        '- program: is no plan',
        'Details: [{"at":"steps[0].tool"}]',
        expect.stringContaining('list_tools'),
      ],
    ]);
  });

  it('that fails inside tells the log, and nothing to the model', async () => {
    const { call, failures } = await connect({ getRun: new Error('at /srv/secret') });
    expect(await call('get_run', { runId: 'r' })).toMatchObject({
      isError: true,
      text: /* nothing of it */ 'internal: It failed inside; the log of the server says why.',
    });
    expect(failures).toEqual([new Error('at /srv/secret')]);
  });

  it('asks with what was said, and nothing else', async () => {
    const { call, asked } = await connect(huge);
    await call('list_runs', { label: ['team=shop'], cursor: 'c' });
    await call('list_escalations', { runId: 'r' });
    await call('answer_escalation', { runId: 'r', escalation: 7, choice: 'yes', note: 'seen', waitMs: 0 });
    expect(asked).toEqual([
      ['listRuns', { query: { label: ['team=shop'], limit: 10, cursor: 'c' } }],
      ['listQuestions', { query: { run: 'r', status: ['open'], limit: 5 } }],
      [
        'answerQuestion',
        {
          params: { runId: 'r' },
          body: {
            escalation: 7,
            choice: 'yes',
            note: 'seen',
            waitMs: 0,
            requestId: expect.stringMatching(/^mcp-\w{40}$/),
          },
        },
      ],
    ]);
  });

  it('cancel_run says that there is no such run, where the cancel is only kept', async () => {
    const { call } = await connect(huge);
    expect((await call('cancel_run', { runId: 'r' })).said['next']).toMatch(/^There is no run r\. .*list_runs/);
  });
});

describe('whoever cannot be told from a stranger', () => {
  it('is shown no tools but what went wrong', async () => {
    const failure = new AskFailed({ code: 'invalid_token', detail: 'The token is refused.' });
    await expect(connect({}, { roles: () => Promise.reject(failure) })).rejects.toThrow(
      'invalid_token: The token is refused.',
    );
  });
});
