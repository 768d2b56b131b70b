import type { AddressInfo } from 'node:net';
import { runTool, verifyTool, type Tool } from '@holdfast/sdk';
import { SMTPServer } from 'smtp-server';
import { cuttingProxy, type CuttingProxy } from '../contract/cutting-proxy.js';
import { probeContract } from '../contract/probe-contract.js';
import type { Begun, ProbeWorld } from '../contract/probe-world.js';
import { keyMarker } from '../key-marker.js';
import { ScriptedImap } from './scripted-imap.fixture.js';
import { sendMail, type SendMail } from './send-mail.js';

const ACCOUNT = { user: 'office', password: 'mail-password-77' } as const;

type Taken = {
  readonly text: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
};

/** What a real SMTP server has taken; a copy of each lies in the mailbox. */
const taken: Taken[] = [];
let refusal: { readonly at: 'rcpt' | 'data'; readonly code: number; readonly who?: string } | null = null;

const failure = (code: number): Error => Object.assign(new Error('not now'), { responseCode: code });
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  closeTimeout: 1,
  onAuth: ({ username, password }, _, done) => {
    if (username === ACCOUNT.user && password === ACCOUNT.password) done(null, { user: username });
    else done(failure(535));
  },
  onRcptTo: ({ address }, _, done) => {
    if (refusal?.at === 'rcpt' && (refusal.who ?? address) === address) done(failure(refusal.code));
    else done();
  },
  onData: (stream, { envelope }, done) => {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (more: string) => (text += more));
    stream.on('end', () => {
      if (refusal?.at === 'data') return done(failure(refusal.code));
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      const [, messageId = ''] = /^Message-ID: (\S+)/im.exec(text) ?? [];
      taken.push({ text, from, to: envelope.rcptTo.map(({ address }) => address), messageId });
      done();
    });
  },
});
const imap = new ScriptedImap(ACCOUNT, () => taken.map(({ messageId }) => messageId));
let way: CuttingProxy;
let asking: CuttingProxy;
let world: ProbeWorld;

const toolOf = (more: Partial<SendMail> = {}): Tool =>
  sendMail({
    name: 'send-letter',
    version: '1',
    smtp: { host: '127.0.0.1', port: way.port, ...ACCOUNT },
    from: 'office@practice.example',
    archive: 'archive@practice.example',
    mailbox: { host: '127.0.0.1', port: asking.port, secure: false, ...ACCOUNT },
    ...more,
  }) as Tool;

const letter = { to: ['ann@example.org'], subject: 'Your findings', text: 'All is well.' };

beforeAll(async () => {
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()));
  const { port } = smtp.server.address() as AddressInfo;
  way = await cuttingProxy({ port, effect: (bytes) => bytes.includes('\r\n.\r\n') });
  asking = await cuttingProxy({ port: await imap.listen(), effect: () => false });
  world = {
    tool: toolOf(),
    args: (text) => ({ ...letter, subject: text.slice(0, 60), text }),
    effects: async (key) =>
      taken.filter(({ messageId }) => messageId === `<${keyMarker(key)}@practice.example>`).length,
    fault: async (fault): Promise<Begun> => {
      const begun = await way.fault(fault);
      if (fault !== 'away' && fault !== 'garbled') return begun;
      const other = await asking.fault(fault);
      return { reached: begun.reached, end: async () => void (await Promise.all([begun.end(), other.end()])) };
    },
    secrets: [ACCOUNT.password],
  };
});
afterAll(async () => {
  await way.close();
  await asking.close();
  imap.close();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});
afterEach(() => void (refusal = null));

const last = (): Taken => taken.at(-1) as Taken;

describe('a message that is sent', () => {
  for (const { name, run } of probeContract(() => world)) it(name, run);

  it('goes to all, with the archive and without telling of those who are not to be seen', async () => {
    const mail = { ...letter, cc: ['bob@example.org'], bcc: ['eve@example.org'], replyTo: 'desk@practice.example' };
    expect(await runTool(toolOf(), mail, { key: 'all' })).toMatchObject({ outcome: 'succeeded' });
    expect(last().to).toEqual(['ann@example.org', 'bob@example.org', 'eve@example.org', 'archive@practice.example']);
    expect(last().text).toContain('Cc: bob@example.org');
    expect(last().text).not.toMatch(/eve@|archive@/);
    expect(last()).toMatchObject({
      from: 'office@practice.example',
      messageId: `<${keyMarker('all')}@practice.example>`,
    });
  });

  it('cannot be given headers or recipients by its texts, and reads no files', async () => {
    const mail = {
      ...letter,
      subject: 'x\r\nBcc: thief@example.org',
      text: 'file:///etc/hostname\r\n.\r\nMAIL FROM:<a@b.c>\r\n',
    };
    await runTool(toolOf(), mail, { key: 'inject' });
    expect(last().to).not.toContain('thief@example.org');
    expect(last().text).not.toMatch(/^Bcc:/m);
    for (const to of [
      'ann@example.org, bob@example.org',
      'Ann <ann@example.org>',
      'ann@example.org>\r\nRCPT TO:<x@y.z',
      'ann',
    ]) {
      expect(await runTool(toolOf(), { ...letter, to: [to] })).toMatchObject({ failure: { code: 'invalid_args' } });
    }
  });

  it.each([
    [550, 'never'],
    [451, 'later'],
  ])('goes to nobody when one recipient is refused with %i', async (code, retry) => {
    const before = taken.length;
    refusal = { at: 'rcpt', code, who: 'bob@example.org' };
    const outcome = await runTool(toolOf(), { ...letter, cc: ['bob@example.org'] }, { key: `rcpt-${code}` });
    expect(outcome).toMatchObject({ outcome: 'failed', retry, failure: { code: `smtp_${code}` } });
    expect(JSON.stringify(outcome)).toContain('bob@example.org');
    expect(taken.length).toBe(before);
  });

  it.each([
    ['rcpt', 450, 'later'],
    ['data', 554, 'never'],
    ['data', 452, 'later'],
  ] as const)('was not taken when the server refuses it (%s, %i)', async (at, code, retry) => {
    refusal = { at, code };
    expect(await runTool(toolOf(), letter, { key: `refused-${code}` })).toMatchObject({ outcome: 'failed', retry });
  });

  it('may have been taken when something answers that it has lost the server', async () => {
    refusal = { at: 'data', code: 421 };
    expect(await runTool(toolOf(), letter, { key: 'lost' })).toMatchObject({ outcome: 'unknown' });
  });

  it('is not sent with a wrong password, and cannot be looked for with one', async () => {
    const wrong = { ...ACCOUNT, password: 'something-else' };
    const sending = toolOf({ smtp: { host: '127.0.0.1', port: way.port, ...wrong } });
    expect(await runTool(sending, letter)).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: { code: 'smtp_535' },
    });
    const looking = toolOf({ mailbox: { host: '127.0.0.1', port: asking.port, secure: false, ...wrong } });
    const verdict = await verifyTool(looking, letter);
    expect(verdict.verdict).toBe('unknown');
    expect(JSON.stringify(verdict)).not.toContain('something-else');
  });

  it('is not sent without TLS where that is asked for', async () => {
    const tool = toolOf({ smtp: { host: '127.0.0.1', port: way.port, requireTls: true } });
    expect(await runTool(tool, letter, { key: 'tls' })).toMatchObject({ outcome: 'failed' });
    expect(await world.effects('tls')).toBe(0);
  });
});

describe('a message is looked for', () => {
  it('in the folder that is named', async () => {
    const mailbox = { host: '127.0.0.1', port: asking.port, secure: false, ...ACCOUNT, folder: 'Sent' };
    expect(await verifyTool(toolOf({ mailbox }), letter)).toMatchObject({ verdict: 'unknown' });
  });

  it.each([
    [true, 'applied'],
    [false, 'absent'],
    [null, 'unknown'],
  ])('by a function that answers %j: %s', async (answer, verdict) => {
    const asked: string[] = [];
    const lookup = async (messageId: string) => {
      asked.push(messageId);
      return answer;
    };
    const tool = sendMail({
      name: 'm',
      version: '1',
      smtp: { host: '127.0.0.1', port: 1 },
      from: 'a@b.example',
      lookup,
    }) as Tool;
    expect(await verifyTool(tool, letter, { key: 'k' })).toMatchObject({ verdict });
    expect(asked).toEqual([`<${keyMarker('k')}@b.example>`]);
  });

  it('by nobody where the receiving server drops repeats: then it is keyed', () => {
    const common = { name: 'm', version: '1', smtp: { host: '127.0.0.1', port: 1 }, from: 'a@b.example' };
    expect(sendMail({ ...common, keyTtlMs: 86_400_000 })).toMatchObject({ policy: 'keyed', verify: null });
    expect(sendMail({ ...common, keyTtlMs: 86_400_000, lookup: async () => null })).toMatchObject({ policy: 'keyed' });
    expect(() => sendMail(common)).toThrow('SMTP cannot be asked');
    expect(() => sendMail({ ...common, from: 'Office', keyTtlMs: 86_400_000 })).toThrow('from must be one address');
  });
});
