import type { PrincipalView } from '@holdfast/api';

/** Who asks: their id is what the history says. */
export type Principal = PrincipalView;

const known = new WeakMap<object, Principal | null>();

/** Keeps who a request is from, for all that comes after. */
export const signIn = (request: object, principal: Principal | null): void => void known.set(request, principal);

/** Who a request is from; null for somebody who did not say it. */
export const signedIn = (request: object): Principal | null => known.get(request) ?? null;

/** The history keeps ids for ever, and pages show them: nothing invisible, and not without end. */
export const isPresentable = (id: string): boolean => id.length <= 200 && /^[^\p{C}]+$/u.test(id);
