import { meSchema, newTokenSchema, tokensSchema } from '@holdfast/api';
import { silentLogger, systemTimer } from '@holdfast/sdk';
import { eventually } from '@holdfast/dev';
import type { Request } from 'express';
import { accepting, calls, closeGateway, open, order, post, problem } from '../requesting.fixture.js';
import { accessBy, MemoryTokens } from './access.fixture.js';
import { mustBeSomebodyElse, type SubmissionOf } from './four-eyes.js';
import { ADMIN, adminToken } from './tokens.js';
import { whileSignedIn } from './while-signed-in.js';

afterEach(closeGateway);

let store: MemoryTokens;
const logged: unknown[] = [];
const note = (...all: unknown[]): void => void logged.push(all);
const logger = { ...silentLogger, debug: note, info: note, warn: note, error: note };
const opened = async (failures = 0, settings = {}) => {
  store = new MemoryTokens();
  logged.length = 0;
  const access = accessBy(store, [adminToken('a'.repeat(40))], failures);
  return open(accepting, { parts: { access, logger: logger as never }, settings });
};
const by = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const admin = by('a'.repeat(40));

describe('who asks', () => {
  it('is who the token says, whatever the header says', async () => {
    const ask = await opened();
    const headers = { ...by(store.give('ci', ['operator'])), 'x-holdfast-principal': 'ann' };
    expect((await ask('/v1/runs', post(order, headers))).status).toBe(200);
    expect(calls).toMatchObject([{ runId: 'doc-1', principal: 'token:ci' }]);
  });

  it('is told about themselves, and strangers how to sign in', async () => {
    const ask = await opened();
    const me = async (headers: Record<string, string>) =>
      meSchema.parse(await (await ask('/v1/me', { headers })).json());
    const signIn = { tokens: true, oidc: null };
    expect(await me({})).toEqual({ authentication: 'required', principal: null, signIn });
    const principal = { id: ADMIN, roles: ['admin'], via: 'token', expiresAt: null };
    expect(await me(admin)).toEqual({ authentication: 'required', principal, signIn });
  });

  it('is anybody with every right, under a name of their own, where nobody is checked', async () => {
    const ask = await open(accepting);
    const said = await ask('/v1/me', { headers: { 'x-holdfast-principal': 'ann', ...by('whatever') } });
    const principal = { id: 'ann', roles: ['admin'], via: 'anonymous', expiresAt: null };
    expect(await said.json()).toEqual({ authentication: 'none', principal, signIn: { tokens: false, oidc: null } });
  });

  it('cannot make tokens where none are taken', async () => {
    const ask = await open();
    expect(await problem(await ask('/v1/tokens'))).toMatchObject({ status: 409, code: 'tokens_not_taken' });
  });
});

describe('a token for a program', () => {
  it('is made by an admin, shown once, and of no use from the moment on in which it is taken back', async () => {
    const ask = await opened();
    const body = { name: 'ci', roles: ['operator', 'operator'], expiresInMs: 60_000 };
    const made = await ask('/v1/tokens', post(body, admin));
    expect(made.status).toBe(201);
    const { id, token, ...view } = newTokenSchema.parse(await made.json());
    expect(view).toMatchObject({
      name: 'ci',
      roles: ['operator'],
      createdBy: ADMIN,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect((await ask('/v1/runs', post(order, by(token)))).status).toBe(200);
    const listed = await (await ask('/v1/tokens', { headers: admin })).text();
    expect(tokensSchema.parse(JSON.parse(listed)).items).toMatchObject([
      { id, lastUsedAt: expect.any(Number) as number },
    ]);
    expect(listed).not.toContain('hash');
    expect((await ask(`/v1/tokens/${id}/revoke`, post({}, admin))).status).toBe(200);
    expect((await ask('/v1/runs', post(order, by(token)))).status).toBe(401);
    const secret = token.slice(-43);
    expect(JSON.stringify([...store.rows.values(), ...logged, listed])).not.toContain(secret);
  });

  it('is not taken back where there is none', async () => {
    const ask = await opened();
    const missing = await ask('/v1/tokens/0123456789abcdef/revoke', post({}, admin));
    expect(await problem(missing)).toMatchObject({ status: 404, code: 'unknown_token' });
  });

  it.each([
    [{ name: '_admin', roles: ['viewer'] }, 'body.name'],
    [{ name: 'ci', roles: [] }, 'body.roles'],
    [{ name: 'ci', roles: ['root'] }, 'body.roles.0'],
    [{ name: 'ci', roles: ['viewer'], expiresInMs: 0 }, 'body.expiresInMs'],
  ])('is not made of %j', async (body, at) => {
    const ask = await opened();
    expect(await problem(await ask('/v1/tokens', post(body, admin)))).toMatchObject({ status: 400, errors: [{ at }] });
    expect(store.rows.size).toBe(0);
  });
});

describe('limits', () => {
  it('count for each principal alone, wherever they come from', async () => {
    const ask = await opened(0, { ratePerMinute: 1 });
    const asked = async (token: string) => (await ask('/v1/walks', { headers: by(token) })).status;
    const [one, two] = [store.give('one', ['viewer']), store.give('two', ['viewer'])];
    expect([await asked(one), await asked(one), await asked(two)]).toEqual([404, 429, 404]);
  });

  it('let an address try so many tokens and no more', async () => {
    const ask = await opened(2);
    const tried = async (token: string) => ask('/v1/me', { headers: by(token) });
    expect([(await tried('wrong')).status, (await tried('wrong')).status]).toEqual([401, 401]);
    const third = await tried('a'.repeat(40));
    expect(third.headers.get('retry-after')).toBe('60');
    expect(await problem(third)).toMatchObject({ status: 429, code: 'too_many_failed_sign_ins' });
    expect((await ask('/v1/me')).status).toBe(200);
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toContain('wrong');
  });
});

describe('whoever watches', () => {
  const request = (token: string) => ({ headers: { authorization: `Bearer ${token}` } }) as Request;
  const soon = { ...systemTimer, every: (_: number, work: () => void) => systemTimer.every(1, work) };

  it('is let go when their token is taken back', async () => {
    store = new MemoryTokens();
    const token = store.give('wall', ['viewer']);
    const { authenticator } = accessBy(store);
    let looks = 0;
    const counting = {
      required: true,
      whoIs: (shown: string | null) => authenticator.whoIs(shown).finally(() => (looks += 1)),
    };
    const allowed = whileSignedIn(counting, soon, request(token));
    await eventually('it was looked some times', () => looks > 2);
    expect(allowed.signal.aborted).toBe(false);
    await store.revoke([...store.rows.keys()][0] ?? '', ADMIN, 1);
    await new Promise((resolve) => allowed.signal.addEventListener('abort', resolve));
    expect(allowed.signal.reason).toBe('signed_out');
    allowed.end();
  });
});

describe('four eyes', () => {
  const runs: Record<string, { principal: string | null; parentRunId: string | null }> = {
    top: { principal: 'oidc:ann', parentRunId: null },
    child: { principal: 'holdfast/lane-3', parentRunId: 'top' },
  };
  const of: SubmissionOf = async (runId) => runs[runId] ?? null;

  it.each(['top', 'child'])('do not let whoever submitted it answer for %s', async (runId) => {
    await expect(mustBeSomebodyElse(of, runId, 'oidc:ann')).rejects.toMatchObject({
      problem: { status: 403, code: 'same_person' },
    });
    await expect(mustBeSomebodyElse(of, runId, 'oidc:bob')).resolves.toBeUndefined();
  });

  it('cannot be told of a run that nobody knows', async () => {
    await expect(mustBeSomebodyElse(of, 'other', 'oidc:bob')).rejects.toMatchObject({ problem: { status: 404 } });
  });
});
