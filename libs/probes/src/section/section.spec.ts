import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { silentLogger, type Tool } from '@holdfast/sdk';
import { parse } from 'yaml';
import { toolsFromSection } from './section.js';

const SECRETS = ['STORE_KEY', 'DATABASE_PASSWORD', 'MAIL_PASSWORD', 'GIT_TOKEN'] as const;
beforeAll(() => {
  for (const name of SECRETS) process.env[name] = `the-value-of-${name}`;
});
afterAll(() => {
  for (const name of SECRETS) Reflect.deleteProperty(process.env, name);
});

const toolsOf = async (tools: unknown): Promise<readonly Tool[]> => {
  const { tools: made } = await toolsFromSection(
    { tools },
    { file: '/etc/tools.yaml', directory: '/etc', logger: silentLogger },
  );
  return made;
};
const problem = async (tools: unknown): Promise<string> =>
  toolsOf(tools).then(
    () => 'none',
    (error: Error) => error.message,
  );

const file = { kind: 'file', name: 'write-note', version: '1', root: 'notes' };
const row = {
  kind: 'postgres-row',
  name: 'insert',
  version: '1',
  connection: 'postgres://app:${env:DATABASE_PASSWORD}@db.example/clinic',
  table: 'findings',
  keyColumn: 'reference',
  input: {
    type: 'object',
    properties: { patient: { type: 'string' } },
    required: ['patient'],
    additionalProperties: false,
  },
  columns: ['patient'],
};
const mail = {
  kind: 'mail',
  name: 'send',
  version: '1',
  smtp: { host: 'mail.example', port: 465, secure: true, user: 'office', password: { $env: 'MAIL_PASSWORD' } },
  from: 'office@example.org',
  keyTtlMs: 86_400_000,
};

describe('the section probes', () => {
  it('is that of the documents', async () => {
    const page = readFileSync(fileURLToPath(new URL('../../../../docs/probes.md', import.meta.url)), 'utf8');
    const [, text = ''] = /```yaml\n(probes:[^]*?)```/.exec(page) ?? [];
    const { probes } = parse(text) as { probes: { tools: unknown } };
    const tools = await toolsOf(probes.tools);
    expect(tools.map(({ name, policy }) => [name, policy])).toEqual([
      ['write-report', 'verifiable'],
      ['commit-report', 'verifiable'],
      ['archive-report', 'verifiable'],
      ['file-finding', 'verifiable'],
      ['send-letter', 'verifiable'],
    ]);
  });

  it('has tools with the arguments that their schema says', async () => {
    const [tool] = await toolsOf([row]);
    expect(tool?.checkArgs({ patient: 'p' })).toMatchObject({ ok: true });
    expect(tool?.checkArgs({ patient: 'p', id: 1 })).toMatchObject({ ok: false });
    expect(tool?.catalogueEntry().inputSchema).toMatchObject({ required: ['patient'] });
    expect(JSON.stringify(tool?.catalogueEntry())).not.toContain('the-value-of');
  });

  it('takes time-outs, windows, queues and descriptions', async () => {
    const more = { timeoutMs: 7_000, settleMs: 9_000, queue: 'slow', description: 'Writes a note.' };
    expect((await toolsOf([{ ...file, ...more }]))[0]?.catalogueEntry()).toMatchObject(more);
  });

  it.each([
    [
      'a secret that is written there',
      [{ ...mail, smtp: { ...mail.smtp, password: 'hunter22' } }],
      'probes.tools[0].smtp.password: a secret is named',
    ],
    [
      'a password in a URL',
      [file, { ...row, connection: 'postgres://app:hunter22@db/x' }],
      'probes.tools[1].connection: its password is named',
    ],
    [
      'a secret that is nowhere',
      [{ ...mail, smtp: { ...mail.smtp, password: { $env: 'NOT_THERE' } } }],
      'probes.tools[0].smtp.password: there is no secret NOT_THERE',
    ],
    ['a kind that is not known', [{ ...file, kind: 'fax' }], 'probes.tools[0].kind: '],
    ['a field that is not known', [{ ...file, path: 'x' }], 'probes.tools[0].path: is not known here'],
    ['a field that is missing', [{ ...file, root: undefined }], 'probes.tools[0].root: '],
    ['nothing', [], 'probes.tools: '],
    [
      'mail that nobody can ask about',
      [{ ...mail, keyTtlMs: undefined }],
      'probes.tools[0]: tool send@1: SMTP cannot be asked',
    ],
    [
      'a key that is remembered too shortly',
      [{ ...mail, keyTtlMs: 1_000 }],
      'probes.tools[0]: tool send@1: keyTtlMs is 1000',
    ],
    ['a name that is none', [{ ...file, name: '7' }], 'probes.tools[0]: tool 7@1: name must start with a letter'],
  ])('with %s is refused with the place', async (_, tools, expected) => {
    const said = await problem(tools);
    expect(said).toContain(expected);
    expect(said).not.toContain('hunter22');
  });
});
