import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateway, namespace } from './namespace.fixture.js';

const view = {
  id: '0123456789abcdef',
  name: 'ci',
  roles: ['operator'],
  createdAt: 1,
  createdBy: 'token:_admin',
  expiresAt: null,
  revokedAt: null,
  revokedBy: null,
  lastUsedAt: null,
};
const token = `holdfast_${view.id}_${'x'.repeat(43)}`;
const answers = {
  'GET /v1/tokens': [200, { items: [view, { ...view, revokedAt: 5, revokedBy: 'oidc:ann', lastUsedAt: 7 }] }],
  'POST /v1/tokens': [201, { ...view, token }],
  [`POST /v1/tokens/${view.id}/revoke`]: [200, { ...view, revokedAt: 5, revokedBy: 'oidc:ann' }],
} as const;

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'token-'))));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (text: string): string => {
  const path = join(folder, 'token');
  writeFileSync(path, text);
  return path;
};

const through = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
  const { fetch, asked } = gateway(answers);
  const world = await namespace({ prepared: false, fetch, env });
  const exit = await world.run('--gateway', 'http://127.0.0.1:8080', ...args);
  const shown = asked.map(({ init }) => (init.headers as Record<string, string>)['authorization']);
  return { ...world, exit, asked, shown };
};

describe('tokens', () => {
  it('are made with roles and an end, and shown once', async () => {
    const { exit, asked, out, err } = await through(
      {},
      'tokens',
      'create',
      'ci',
      '--role',
      'operator',
      '--role',
      'approver',
      '--expires',
      '30d',
    );
    expect([exit, out()]).toEqual([0, `${token}\n`]);
    expect(err()).toContain(`Its id is ${view.id}; it is good for ever.`);
    const body = { name: 'ci', roles: ['operator', 'approver'], expiresInMs: 30 * 86_400_000 };
    expect(JSON.parse(asked[0]?.init.body as string)).toEqual(body);
  });

  it.each([
    [['--expires', 'never'], null],
    [[], undefined],
  ])('with %j end so', async (args, expiresInMs) => {
    const { asked, lines } = await through({}, '--json', 'tokens', 'create', 'ci', '--role', 'admin', ...args);
    expect((JSON.parse(asked[0]?.init.body as string) as { expiresInMs?: unknown }).expiresInMs).toBe(expiresInMs);
    expect(lines()).toEqual([{ kind: 'newToken', ...view, token }]);
  });

  it('are listed and taken back', async () => {
    const listed = await through({}, 'tokens', 'list');
    expect(listed.out()).toMatch(/0123456789abcdef +ci +operator +for ever +never/);
    expect(listed.out()).toContain('taken back by oidc:ann');
    const revoked = await through({}, 'tokens', 'revoke', view.id);
    expect([revoked.exit, revoked.out()]).toEqual([0, `The token ci (${view.id}) is of no more use.\n`]);
  });

  it('need a role, and a gateway', async () => {
    expect((await through({}, 'tokens', 'create', 'ci')).exit).toBe(2);
    expect((await through({}, 'tokens', 'create', 'ci', '--role', 'root')).exit).toBe(2);
    const { run, err } = await namespace();
    expect(await run('tokens', 'list')).toBe(2);
    expect(err()).toContain('only a gateway has tokens');
  });
});

describe('who asks a gateway', () => {
  it('is said by the environment, or by a file, which comes first', async () => {
    const list = ['tokens', 'list'];
    expect((await through({}, ...list)).shown).toEqual([undefined]);
    expect((await through({ HOLDFAST_TOKEN: 'abc' }, ...list)).shown).toEqual(['Bearer abc']);
    const path = file(' def\n');
    expect((await through({ HOLDFAST_TOKEN: 'abc' }, '--token-file', path, ...list)).shown).toEqual(['Bearer def']);
  });

  it('is not said by what cannot be a token, and that is not shown', async () => {
    for (const text of ['a b', 'a\nb', '']) {
      const { exit, err, asked } = await through({}, '--token-file', file(text), 'tokens', 'list');
      expect([exit, asked, err().includes('a b')]).toEqual([2, [], false]);
    }
    const { exit, err } = await through({ HOLDFAST_TOKEN: 'se cret' }, 'tokens', 'list');
    expect([exit, err().includes('cret')]).toEqual([2, false]);
    expect((await through({}, '--token-file', join(folder, 'none'), 'tokens', 'list')).err()).toContain(
      'cannot be read',
    );
  });

  it('is told what to do where the gateway does not know them', async () => {
    const refused = [
      401,
      { type: 'a', title: 'b', status: 401, detail: 'Say who you are', code: 'unauthenticated' },
    ] as const;
    const { fetch } = gateway({ 'GET /v1/tokens': refused });
    const world = await namespace({ prepared: false, fetch });
    expect(await world.run('--gateway', 'http://127.0.0.1:8080', 'tokens', 'list')).toBe(2);
    expect(world.err()).toContain('Set HOLDFAST_TOKEN');
  });
});
