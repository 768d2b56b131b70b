/** What somebody may do. An admin may do everything; operators and approvers see what viewers see. */
export const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The least that a route asks for; `anyone` needs not even be known. */
export type Least = Role | 'anyone';

/**
 * Whether somebody with these roles may do what asks for at least `least`. Operators do not answer for approvers, nor the
 * other way round: whoever is to do both has both roles.
 */
export const admits = (roles: readonly Role[], least: Least): boolean =>
  least === 'anyone' || roles.includes('admin') || roles.includes(least) || (least === 'viewer' && roles.length > 0);
