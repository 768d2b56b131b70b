import { readFileSync } from 'node:fs';
import type { Me } from '@holdfast/api';
import type { Logger } from '@holdfast/sdk';
import type { Clock } from '@holdfast/service';
import type { Rows } from '../../store/rows.js';
import { isAdminToken, type AuthSettings } from './auth.config.js';
import { anonymous, authenticatorOf, type Authenticator, type WayIn } from './authenticator.js';
import { FailedSignIns } from './failed-sign-ins.js';
import { Keys } from './oidc/keys.js';
import { oidc } from './oidc/oidc.js';
import { discover, isSafe, keysOf, type Fetch } from './oidc/published.js';
import { tokensIn, type TokenStore } from './token-store.js';
import { adminToken, apiTokens } from './tokens.js';

export type AccessPorts = {
  readonly database: Rows;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fetch: Fetch;
};

/** Everything about who is let in. */
export type Access = {
  readonly authenticator: Authenticator;
  readonly failures: FailedSignIns;
  /** Null where API tokens are not taken. */
  readonly tokens: TokenStore | null;
  readonly signIn: Me['signIn'];
  readonly fourEyes: boolean;
  /** Origins that the page speaks with while it signs somebody in. */
  readonly signInOrigins: () => readonly string[];
};

/** Throws where the file of the admin token cannot be used. */
export const accessOf = (settings: AuthSettings, ports: AccessPorts): Access => {
  const { auth, fourEyes, failedSignInsPerMinute } = settings;
  const store = auth.includes('tokens') ? tokensIn(ports.database) : null;
  const ways = [
    ...adminWay(settings),
    ...(store === null ? [] : [apiTokens({ store, ...ports })]),
    ...(auth.includes('oidc') ? [oidcWay(settings, ports)] : []),
  ];
  const signIn = { tokens: store !== null, oidc: pageSignIn(settings) };
  return {
    authenticator: auth.length === 0 ? anonymous : authenticatorOf(ways),
    failures: new FailedSignIns(failedSignInsPerMinute, ports.clock),
    tokens: store,
    signIn,
    fourEyes,
    signInOrigins: signInOrigins(signIn.oidc?.issuer ?? null, ports),
  };
};

const adminWay = ({ adminToken: given, adminTokenFile: file }: AuthSettings): readonly WayIn[] => {
  if (file === undefined) return given === undefined ? [] : [adminToken(given)];
  const text = readFileSync(file, 'utf8').trim();
  if (isAdminToken(text)) return [adminToken(text)];
  throw new Error(`HOLDFAST_ADMIN_TOKEN_FILE: ${file} does not hold 32 to 500 letters, digits or . _ ~ + / = -`);
};

const oidcWay = (settings: AuthSettings, { fetch, clock, logger }: AccessPorts): WayIn => {
  const { oidcIssuer: issuer = '', oidcJwks: jwks = null } = settings;
  const rules = {
    issuer,
    audiences: settings.oidcAudience,
    algorithms: settings.oidcAlgorithms,
    toleranceMs: settings.oidcToleranceMs,
    principalClaim: settings.oidcPrincipalClaim,
    rolesClaim: settings.oidcRolesClaim,
    roleNames: settings.oidcRoles ?? null,
  };
  return oidc(rules, new Keys({ read: keysOf({ issuer, jwks }, fetch), clock, logger }), clock);
};

const pageSignIn = ({ oidcIssuer: issuer, oidcClientId: clientId, oidcScope: scope }: AuthSettings) =>
  issuer === undefined || clientId === undefined ? null : { issuer, clientId, scope };

/** The issuer's origin, and that of its tokens, which may be another one; that is known a moment later. */
const signInOrigins = (issuer: string | null, { fetch, clock, logger }: AccessPorts): (() => readonly string[]) => {
  if (issuer === null) return () => [];
  const found = new Set([new URL(issuer).origin]);
  let askAt = 0;
  const ask = async (): Promise<void> => {
    askAt = clock.monotonic() + ASK_AGAIN_MS;
    try {
      const { token_endpoint: tokens } = await discover(issuer, fetch);
      if (tokens !== undefined && isSafe(tokens)) found.add(new URL(tokens).origin);
      askAt = Infinity;
    } catch (error) {
      logger.warn({ err: error }, 'the OIDC issuer does not say where its tokens are');
    }
  };
  return () => {
    if (clock.monotonic() >= askAt) void ask();
    return [...found];
  };
};
const ASK_AGAIN_MS = 30_000;
