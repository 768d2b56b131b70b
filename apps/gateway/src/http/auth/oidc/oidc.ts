import { errors, jwtVerify, type JWTVerifyResult } from 'jose';
import type { Clock } from '@holdfast/service';
import { cannotTell, Refused } from '../access-problems.js';
import type { WayIn } from '../authenticator.js';
import { idIn, rolesIn, type RoleNames } from './claims.js';
import { KeysUnavailable, type Keys } from './keys.js';

/** What a token must be, and what of it counts. */
export type OidcRules = {
  readonly issuer: string;
  /** One of these it must be made for. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly toleranceMs: number;
  readonly principalClaim: string;
  readonly rolesClaim: string;
  readonly roleNames: RoleNames;
};

/** Signatures that need a key which only the issuer has. With a shared key, or none, anybody who checks could sign. */
export const ALGORITHMS: readonly string[] =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** A JWT has three parts; the last is empty where nobody has signed it, which is refused like every other algorithm. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
/** Other kinds, such as tokens that sign somebody out, are signed by the same keys and are no tokens for an API. */
const TYPES = /^(application\/)?(at\+)?jwt$/i;

/** Tokens of an OpenID Connect issuer: JWTs that are checked here, without asking it. */
export const oidc = (rules: OidcRules, keys: Pick<Keys, 'find'>, clock: Clock): WayIn => ({
  takes: (credential) => JWT.test(credential),
  principalOf: async (credential) => {
    const { payload } = await verified(credential, rules, keys, clock);
    const id = idIn(payload, rules.principalClaim);
    if (id === null) throw wrongClaim(rules.principalClaim);
    const roles = rolesIn(payload, rules.rolesClaim, rules.roleNames);
    return { id, roles, via: 'oidc', expiresAt: (payload.exp ?? 0) * 1_000 };
  },
});

const verified = async (
  token: string,
  { issuer, audiences, algorithms, toleranceMs }: OidcRules,
  keys: Pick<Keys, 'find'>,
  clock: Clock,
): Promise<JWTVerifyResult> => {
  try {
    const found = await jwtVerify(token, keys.find, {
      issuer,
      audience: [...audiences],
      algorithms: [...algorithms],
      clockTolerance: toleranceMs / 1_000,
      currentDate: new Date(clock.now()),
      requiredClaims: ['exp'],
    });
    const { typ } = found.protectedHeader;
    if (typ !== undefined && !TYPES.test(typ)) throw new Refused('not_accepted');
    return found;
  } catch (error) {
    throw problemOf(error);
  }
};

const claims: Readonly<Record<string, 'wrong_issuer' | 'wrong_audience' | 'not_yet'>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  nbf: 'not_yet',
};

const problemOf = (error: unknown): unknown => {
  if (error instanceof KeysUnavailable) return cannotTell(error.message);
  if (error instanceof errors.JWTExpired) return new Refused('expired');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const why = claims[error.claim];
    return why === undefined ? wrongClaim(error.claim) : new Refused(why);
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed) {
    return new Refused('wrong_signature');
  }
  return error instanceof errors.JOSEError ? new Refused('not_accepted') : error;
};

const wrongClaim = (claim: string): Refused =>
  new Refused('not_accepted', `Its claim ${claim} is missing, or is none that counts.`);
