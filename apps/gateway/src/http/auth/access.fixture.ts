import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Role } from '@holdfast/api';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import type { ApiTokenRow } from '../../store/tables.js';
import { silentLogger } from '@holdfast/sdk';
import type { Access } from './access.js';
import { authenticatorOf, type WayIn } from './authenticator.js';
import { FailedSignIns } from './failed-sign-ins.js';
import { apiTokens } from './tokens.js';
import type { TokenStore } from './token-store.js';
import { makeToken } from './token-text.js';

/** Tokens in memory, as the database has them. */
export class MemoryTokens implements TokenStore {
  readonly rows = new Map<string, ApiTokenRow>();

  async find(id: string): Promise<ApiTokenRow | null> {
    return this.rows.get(id) ?? null;
  }

  async list(): Promise<readonly ApiTokenRow[]> {
    return [...this.rows.values()];
  }

  async add(row: ApiTokenRow): Promise<void> {
    this.rows.set(row.id, row);
  }

  async revoke(id: string, revokedBy: string, revokedAt: number): Promise<ApiTokenRow | null> {
    const row = this.rows.get(id);
    if (row === undefined) return null;
    const revoked = row.revokedAt === null ? { ...row, revokedAt, revokedBy } : row;
    this.rows.set(id, revoked);
    return revoked;
  }

  async used(id: string, lastUsedAt: number): Promise<void> {
    const row = this.rows.get(id);
    if (row !== undefined) this.rows.set(id, { ...row, lastUsedAt });
  }

  /** A token that is there already. */
  give(name: string, roles: readonly Role[], more: Partial<ApiTokenRow> = {}): string {
    const { id, token, hash } = makeToken();
    const made = { createdAt: 0, createdBy: 'token:_admin', expiresAt: null };
    const unused = { revokedAt: null, revokedBy: null, lastUsedAt: null };
    this.rows.set(id, { id, name, hash, roles: [...roles], ...made, ...unused, ...more });
    return token;
  }
}

const clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** How people and programs are let in who are known by tokens, and by whatever else there is. */
export const accessBy = (store: MemoryTokens, more: readonly WayIn[] = [], failures = 0): Access => ({
  authenticator: authenticatorOf([apiTokens({ store, clock, logger: silentLogger }), ...more]),
  failures: new FailedSignIns(failures, clock),
  tokens: store,
  signIn: { tokens: true, oidc: null },
  fourEyes: false,
  signInOrigins: () => [],
});

export type KeyOf = { readonly kid: string; readonly alg: string; readonly key: CryptoKey; readonly jwk: JWK };

export const newKey = async (kid: string, alg = 'ES256'): Promise<KeyOf> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
};

/** An OpenID Connect issuer on this machine: it says where its keys are, and shows those that it has. */
export class TestIssuer {
  keys: JWK[] = [];
  asked = 0;
  isDown = false;
  private constructor(private readonly server: Server) {}

  static async open(...keys: readonly KeyOf[]): Promise<TestIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = new TestIssuer(server);
    issuer.keys = keys.map(({ jwk }) => jwk);
    server.on('request', (request, response) => {
      issuer.asked += 1;
      const { url } = issuer;
      const found = { issuer: url, jwks_uri: `${url}/keys`, token_endpoint: `${url}/token` };
      response.writeHead(issuer.isDown ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.url === '/keys' ? { keys: issuer.keys } : found));
    });
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A token that is good, but for what is said otherwise. */
  sign({ kid, alg, key }: KeyOf, claims: JWTPayload = {}, header: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iss: this.url, aud: 'holdfast', sub: 'ann', iat: now, exp: now + 600, ...claims })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
      .sign(key);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
