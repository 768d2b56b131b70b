import { silentLogger } from '@holdfast/sdk';
import { StoreUnavailable } from '../../store/row-store.js';
import { MemoryTokens } from './access.fixture.js';
import { authenticatorOf, credentialIn } from './authenticator.js';
import { FailedSignIns } from './failed-sign-ins.js';
import type { TokenStore } from './token-store.js';
import { hashOf, idOf, makeToken } from './token-text.js';
import { adminToken, apiTokens } from './tokens.js';

const clock = { time: 1_000_000, now: () => clock.time, monotonic: () => clock.time };
const over = (store: TokenStore) => authenticatorOf([apiTokens({ store, clock, logger: silentLogger })]);
const why = async (asked: Promise<unknown>) =>
  asked.then(
    () => 'let in',
    (error: { problem: unknown }) => error.problem,
  );

describe('an API token', () => {
  it('is 256 random bits that can be told from other text, and only its hash is kept', () => {
    const { id, token, hash } = makeToken();
    expect(token).toMatch(/^holdfast_[0-9a-f]{16}_[\w-]{43}$/);
    expect([idOf(token), hash]).toEqual([id, hashOf(token)]);
    expect(hash).toHaveLength(32);
    expect(new Set(Array.from({ length: 100 }, () => makeToken().token)).size).toBe(100);
  });

  it('says who asks, and when it was used last', async () => {
    const store = new MemoryTokens();
    const token = store.give('ci', ['operator'], { expiresAt: 2_000_000 });
    const known = { id: 'token:ci', roles: ['operator'], via: 'token', expiresAt: 2_000_000 };
    expect(await over(store).whoIs(token)).toEqual(known);
    expect((await store.list())[0]?.lastUsedAt).toBe(clock.time);
  });

  it('is of no use any more when it has expired or was taken back', async () => {
    const store = new MemoryTokens();
    const token = store.give('old', ['admin'], { expiresAt: clock.time });
    expect(await why(over(store).whoIs(token))).toMatchObject({
      status: 401,
      detail: expect.stringContaining('expired') as string,
    });
    const other = store.give('gone', ['admin']);
    await store.revoke(idOf(other) ?? '', 'token:_admin', 5);
    expect(await why(over(store).whoIs(other))).toMatchObject({ status: 401, code: 'invalid_token' });
  });

  it('is refused where only its id is right', async () => {
    const store = new MemoryTokens();
    const token = store.give('ci', ['admin']);
    const forged = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    expect(await why(over(store).whoIs(forged))).toMatchObject({ status: 401 });
  });

  it('cannot be told good or bad while the database is away, and the admin token can', async () => {
    const find = () => Promise.reject(new StoreUnavailable('away'));
    const store = Object.assign(new MemoryTokens(), { find });
    const { token } = makeToken();
    expect(await why(over(store).whoIs(token))).toMatchObject({ status: 503, code: 'sign_in_unavailable' });
    const text = 'x'.repeat(40);
    const both = authenticatorOf([adminToken(text), apiTokens({ store, clock, logger: silentLogger })]);
    expect(await both.whoIs(text)).toMatchObject({ id: 'token:_admin', roles: ['admin'] });
    expect(await why(both.whoIs('y'.repeat(40)))).toMatchObject({ status: 401 });
  });

  it.each(['Basic YTpi', 'Bearer', 'Bearer a b', `Bearer ${'a'.repeat(20_000)}`, 'Bearer a\tb'])(
    'is not what %.20s holds',
    (header) => expect(() => credentialIn(header)).toThrow('The header is not'),
  );
});

describe('addresses that show what is no token', () => {
  it('wait until their minute is over, and nobody else does', () => {
    const at = { time: 0, monotonic: () => at.time };
    const failed = new FailedSignIns(2, at);
    failed.note('a');
    expect(failed.waitFor('a')).toBe(0);
    failed.note('a');
    at.time = 20_000;
    expect([failed.waitFor('a'), failed.waitFor('b')]).toEqual([40_000, 0]);
    at.time = 60_000;
    expect(failed.waitFor('a')).toBe(0);
  });

  it('are forgotten, the oldest first, so that no memory is filled', () => {
    const failed = new FailedSignIns(1, { monotonic: () => 0 });
    for (let address = 0; address <= 10_000; address += 1) failed.note(String(address));
    expect([failed.waitFor('0'), failed.waitFor('1') > 0]).toEqual([0, true]);
  });
});
