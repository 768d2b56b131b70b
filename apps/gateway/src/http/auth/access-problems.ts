import type { Least } from '@holdfast/api';
import { ProblemError, unavailable } from '../problems.js';

/** What a credential is refused for. It names no part of it. */
export type Refusal =
  'unknown' | 'expired' | 'not_yet' | 'wrong_issuer' | 'wrong_audience' | 'wrong_signature' | 'not_accepted';

const words: Readonly<Record<Refusal, string>> = {
  unknown: 'It is not known here, or was taken back.',
  expired: 'It has expired.',
  not_yet: 'It is not good yet.',
  wrong_issuer: 'It was issued by somebody else.',
  wrong_audience: 'It was issued for somebody else.',
  wrong_signature: 'Its signature is of no key that its issuer has.',
  not_accepted: 'It is of a kind that is not taken here.',
};

/** A credential that does not say who somebody is. */
export class Refused extends ProblemError {
  constructor(
    readonly why: Refusal,
    detail = words[why],
  ) {
    const said = { code: 'invalid_token', detail: `The token is refused. ${detail}`, advice: SIGN_IN };
    super(401, said, { 'www-authenticate': 'Bearer realm="holdfast", error="invalid_token"' });
  }
}

const SIGN_IN = 'Send `Authorization: Bearer` with an API token or a token of the issuer that GET /v1/me names.';

/** Nobody said who they are, where that is asked for. */
export const unauthenticated = (): ProblemError =>
  new ProblemError(
    401,
    { code: 'unauthenticated', detail: 'Say who you are: this gateway answers no strangers.', advice: SIGN_IN },
    { 'www-authenticate': 'Bearer realm="holdfast"' },
  );

/** Somebody is known, and may not do it. */
export const forbidden = (id: string, least: Least): ProblemError =>
  new ProblemError(
    403,
    {
      code: 'role_missing',
      detail: `${id} does not have the role ${least}, which this asks for.`,
      advice: 'GET /v1/me says which roles you have. Somebody with the role admin gives out others.',
    },
    { 'www-authenticate': 'Bearer realm="holdfast", error="insufficient_scope"' },
  );

/** Whether a credential is good cannot be found out at the moment. */
export const cannotTell = (why: string): ProblemError =>
  unavailable('sign_in_unavailable', `Whether the token is good cannot be told: ${why}`, {
    advice: 'Ask again. Nothing was done.',
  });
