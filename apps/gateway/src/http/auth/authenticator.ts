import type { Principal } from './principal.js';
import { Refused } from './access-problems.js';

/** One way in: for credentials of one form. */
export type WayIn = {
  /** Whether a credential is of this form; then no other way is tried. */
  takes(credential: string): boolean;
  /** Who it is. Rejects with `Refused`, or with a problem where that cannot be told. */
  principalOf(credential: string): Promise<Principal>;
};

/** Who stands behind a credential. */
export type Authenticator = {
  /** False: nobody is checked, and whoever may reach the gateway may do everything. */
  readonly required: boolean;
  /** Null where nothing was said and somebody has to say it. Rejects as a way in does. */
  whoIs(credential: string | null): Promise<Principal | null>;
};

/** Who asks where nobody is checked; under which name is said by a header. */
const ANYBODY: Principal = { id: 'api', roles: ['admin'], via: 'anonymous', expiresAt: null };

/** Lets everybody in who reaches the gateway, whatever they show. */
export const anonymous: Authenticator = { required: false, whoIs: async () => ANYBODY };

/** Asks the way in that a credential belongs to. */
export const authenticatorOf = (ways: readonly WayIn[]): Authenticator => ({
  required: true,
  whoIs: async (credential) => {
    if (credential === null) return null;
    const way = ways.find((one) => one.takes(credential));
    if (way === undefined) throw new Refused('not_accepted');
    return way.principalOf(credential);
  },
});

/** Credentials are much shorter; nothing is made of a longer one. */
const LENGTH_MAX = 16_384;

/** What a request shows for itself. Throws where it is not in the form that is taken. */
export const credentialIn = (header: string | undefined): string | null => {
  if (header === undefined) return null;
  const credential = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header.trim())?.[1];
  if (credential === undefined || credential.length > LENGTH_MAX) {
    throw new Refused('not_accepted', 'The header is not `Authorization: Bearer <token>`.');
  }
  return credential;
};
