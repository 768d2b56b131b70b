import type { Me } from '@holdfast/api';
import type { User, UserManager } from 'oidc-client-ts';
import { signIn } from './session.js';

export type Issuer = NonNullable<Me['signIn']['oidc']>;

/** Where the issuer sends people back to. */
export const BACK = '/signed-in';

let known: Promise<UserManager> | null = null;

/** The library comes only where there is an issuer. */
const managerOf = ({ issuer, clientId, scope }: Issuer): Promise<UserManager> =>
  (known ??= import('oidc-client-ts').then(({ UserManager: Manager, WebStorageStateStore }) => {
    const store = new WebStorageStateStore({ store: sessionStorage });
    const manager = new Manager({
      authority: issuer,
      client_id: clientId,
      redirect_uri: `${location.origin}${BACK}`,
      scope,
      response_type: 'code',
      stateStore: store,
      userStore: store,
      // Only with a refresh token, see below: frames are forbidden here.
      automaticSilentRenew: false,
    });
    manager.events.addUserLoaded(keep);
    return manager;
  }));

const keep = ({ access_token: token }: User): void => signIn(token);

/** Sends the person to the issuer, by the code flow with PKCE. */
export const leaveForIssuer = async (issuer: Issuer): Promise<void> => {
  const manager = await managerOf(issuer);
  await manager.signinRedirect({ state: `${location.pathname}${location.search}` });
};

let back: Promise<string> | null = null;

/** Takes what the issuer has sent back, once, and answers where the person was before. */
export const comeBack = (issuer: Issuer): Promise<string> => (back ??= takeBack(issuer));

const takeBack = async (issuer: Issuer): Promise<string> => {
  const manager = await managerOf(issuer);
  const user = await manager.signinRedirectCallback();
  keep(user);
  renew(manager, user);
  const { state } = user;
  return typeof state === 'string' && /^\/(?!\/)/.test(state) && !state.startsWith(BACK) ? state : '/runs';
};

let wentOn = false;

/** Goes on with somebody who was signed in before the page was loaded anew. */
export const goOn = async (issuer: Issuer): Promise<void> => {
  if (wentOn) return;
  wentOn = true;
  const manager = await managerOf(issuer);
  const user = await manager.getUser();
  if (user !== null) renew(manager, user);
};

export const forget = async (): Promise<void> => {
  const manager = await known;
  manager?.stopSilentRenew();
  await manager?.removeUser();
};

const renew = (manager: UserManager, user: User): void => {
  if (user.refresh_token !== undefined) manager.startSilentRenew();
};
