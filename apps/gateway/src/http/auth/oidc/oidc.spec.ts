import { silentLogger } from '@holdfast/sdk';
import { systemClock } from '@holdfast/service';
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey, TestIssuer, type KeyOf } from '../access.fixture.js';
import { authenticatorOf, type Authenticator } from '../authenticator.js';
import { Keys } from './keys.js';
import { ALGORITHMS, oidc, type OidcRules } from './oidc.js';
import { keysOf } from './published.js';

const clock = { time: 0, now: () => systemClock.now(), monotonic: () => clock.time };
let key: KeyOf;
let other: KeyOf;
let issuer: TestIssuer;
beforeAll(async () => {
  [key, other] = await Promise.all([newKey('k1'), newKey('k2')]);
});
beforeEach(async () => {
  clock.time = 0;
  issuer = await TestIssuer.open(key);
});
afterEach(() => issuer.close());

const opened = (more: Partial<OidcRules> = {}, jwks: string | null = null): Authenticator => {
  const usual = { issuer: issuer.url, audiences: ['holdfast'], algorithms: ALGORITHMS, toleranceMs: 5_000 };
  const claims = { principalClaim: 'sub', rolesClaim: 'roles', roleNames: null };
  const read = keysOf({ issuer: issuer.url, jwks }, fetch);
  return authenticatorOf([
    oidc({ ...usual, ...claims, ...more }, new Keys({ read, clock, logger: silentLogger }), clock),
  ]);
};
const said = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch(({ problem }: { problem: { status: number; detail: string } }) => `${problem.status} ${problem.detail}`);
const seconds = (from: number): number => Math.floor(Date.now() / 1_000) + from;

describe('a token of the issuer', () => {
  it('says who asks, with which roles and for how long', async () => {
    const exp = seconds(60);
    const token = await issuer.sign(key, { exp, roles: ['operator', 'tea', 'approver'] });
    const known = { id: 'oidc:ann', roles: ['operator', 'approver'], via: 'oidc', expiresAt: exp * 1_000 };
    expect(await opened().whoIs(token)).toEqual(known);
  });

  it.each([
    ['has expired', { exp: 'now - 6' }, '401 The token is refused. It has expired.'],
    ['is for another audience', { aud: 'other' }, '401 The token is refused. It was issued for somebody else.'],
    ['is for nobody', { aud: undefined }, '401 The token is refused. It was issued for somebody else.'],
    [
      'is of another issuer',
      { iss: 'https://evil.example' },
      '401 The token is refused. It was issued by somebody else.',
    ],
    ['is not good yet', { nbf: 'now + 6' }, '401 The token is refused. It is not good yet.'],
    ['does not end', { exp: undefined }, '401 The token is refused. Its claim exp is missing'],
    ['names nobody', { sub: undefined }, '401 The token is refused. Its claim sub is missing'],
    ['names somebody who cannot be seen', { sub: 'a\u202Eb' }, '401 The token is refused. Its claim sub is missing'],
  ])('is refused when it %s', async (_, claims, words) => {
    const times = Object.entries(claims).map(([name, value]) => [
      name,
      name === 'exp' || name === 'nbf' ? (value === undefined ? value : seconds(value === 'now - 6' ? -6 : 7)) : value,
    ]);
    const token = await issuer.sign(key, Object.fromEntries(times) as JWTPayload);
    expect(await said(opened().whoIs(token))).toContain(words);
  });

  it('may be a little late, as clocks are', async () => {
    expect(await opened().whoIs(await issuer.sign(key, { exp: seconds(-2) }))).toMatchObject({ id: 'oidc:ann' });
  });

  it('counts only with the signature of a key that its issuer has', async () => {
    const unknown = await issuer.sign(other);
    expect(await said(opened().whoIs(unknown))).toContain('401 The token is refused. Its signature');
    const forged = await issuer.sign({ ...other, kid: 'k1' });
    expect(await said(opened().whoIs(forged))).toContain('401 The token is refused. Its signature');
    const [head, , tail] = (await issuer.sign(key)).split('.');
    const [, body] = (await issuer.sign(key, { roles: ['admin'] })).split('.');
    expect(await said(opened().whoIs(`${head}.${body}.${tail}`))).toContain('Its signature');
  });

  it('is signed, and not with what everybody knows', async () => {
    const claims = { iss: issuer.url, aud: 'holdfast', sub: 'eve', exp: seconds(60), roles: ['admin'] };
    const none = new UnsecuredJWT(claims).encode();
    expect(await said(opened().whoIs(none))).toContain('401 The token is refused.');
    const published = (await importJWK(key.jwk, 'ES256', { extractable: true })) as CryptoKey;
    for (const secret of [JSON.stringify(key.jwk), await exportSPKI(published)]) {
      const shared = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' });
      const token = await shared.sign(new TextEncoder().encode(secret));
      expect(await said(opened().whoIs(token))).toContain('401 The token is refused.');
    }
  });

  it('is of an algorithm that is allowed, and of a kind that is for an API', async () => {
    const strict = opened({ algorithms: ['RS256'] });
    expect(await said(strict.whoIs(await issuer.sign(key)))).toContain('It is of a kind that is not taken here.');
    const logout = await issuer.sign(key, {}, { typ: 'logout+jwt' });
    expect(await said(opened().whoIs(logout))).toContain('It is of a kind that is not taken here.');
  });
});

describe('roles by the words of an issuer', () => {
  it.each([
    ['roles', null, { roles: 'viewer admin-of-tea' }, ['viewer']],
    ['realm_access.roles', null, { realm_access: { roles: ['admin'] } }, ['admin']],
    [
      'https://acme.example/groups',
      { ops: 'operator' } as const,
      { 'https://acme.example/groups': ['ops'] },
      ['operator'],
    ],
    ['groups', { ops: 'operator' } as const, { groups: ['admin', 'constructor'] }, []],
    ['groups', null, { groups: { admin: true } }, []],
    ['groups', null, {}, []],
  ])('in %s with %j', async (rolesClaim, roleNames, claims, roles) => {
    const token = await issuer.sign(key, claims as JWTPayload);
    expect(await opened({ rolesClaim, roleNames }).whoIs(token)).toMatchObject({ roles });
  });
});

describe('the keys of an issuer', () => {
  it('may change: a new one is found as soon as a token names it', async () => {
    const gateway = opened();
    await gateway.whoIs(await issuer.sign(key));
    issuer.keys = [other.jwk];
    clock.time = 20_000;
    expect(await gateway.whoIs(await issuer.sign(other))).toMatchObject({ id: 'oidc:ann' });
    expect(await said(gateway.whoIs(await issuer.sign(key)))).toContain('Its signature');
  });

  it('are not asked for with every token that names one which is not there', async () => {
    const gateway = opened();
    await gateway.whoIs(await issuer.sign(key));
    const before = issuer.asked;
    const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.sign(other)));
    clock.time = 20_000;
    await Promise.all(tokens.map((token) => said(gateway.whoIs(token))));
    await said(gateway.whoIs(tokens[0] ?? ''));
    expect(issuer.asked - before).toBe(2);
  });

  it('are forgotten when the issuer has them no more', async () => {
    const gateway = opened();
    const token = await issuer.sign(key);
    await gateway.whoIs(token);
    issuer.keys = [other.jwk];
    clock.time = 11 * 60_000;
    expect(await said(gateway.whoIs(token))).toContain('Its signature');
  });

  it('count on while the issuer is down, for a day', async () => {
    const gateway = opened();
    const token = await issuer.sign(key);
    await gateway.whoIs(token);
    issuer.isDown = true;
    clock.time = 23 * 3_600_000;
    expect(await gateway.whoIs(token)).toMatchObject({ id: 'oidc:ann' });
    clock.time = 25 * 3_600_000;
    expect(await said(gateway.whoIs(token))).toContain('503 Whether the token is good cannot be told');
  });

  it('that were never there make nobody anybody: ask again', async () => {
    issuer.isDown = true;
    const gateway = opened();
    const token = await issuer.sign(key);
    expect(await said(gateway.whoIs(token))).toMatch(/^503 .*cannot be read: .* answers 500$/);
    issuer.isDown = false;
    clock.time = 2_000;
    expect(await gateway.whoIs(token)).toMatchObject({ id: 'oidc:ann' });
  });

  it('may be in a file, or at an address of their own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keys-'));
    const file = join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify({ keys: [other.jwk] }));
    expect(await opened({}, file).whoIs(await issuer.sign(other))).toMatchObject({ id: 'oidc:ann' });
    rmSync(folder, { recursive: true });
    expect(await opened({}, `${issuer.url}/keys`).whoIs(await issuer.sign(key))).toMatchObject({ id: 'oidc:ann' });
  });

  it('are not taken from an issuer that calls itself otherwise', async () => {
    const elsewhere = new Keys({
      read: keysOf({ issuer: `${issuer.url}/`, jwks: null }, fetch),
      clock,
      logger: silentLogger,
    });
    await expect((async () => elsewhere.find({ alg: 'ES256' }, {} as never))()).rejects.toThrow('calls itself');
  });
});
