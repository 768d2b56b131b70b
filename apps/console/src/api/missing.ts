import { admits, type Least, type Me } from '@holdfast/api';

export type Asks = { readonly role: Least };

/** Why somebody may not do what a route does; null where they may, or nobody knows: the gateway decides in any case. */
export const missingFor = (me: Me | undefined, { role }: Asks): string | null => {
  const { principal = null } = me ?? {};
  if (principal === null || admits(principal.roles, role)) return null;
  const roles = principal.roles.length === 0 ? 'no role' : `the role ${principal.roles.join(' and ')}`;
  return `This needs the role ${role}; you have ${roles}.`;
};
