import { ROLES, type Role } from '@holdfast/api';
import type { JWTPayload } from 'jose';
import { isPresentable } from '../principal.js';

/** Roles by what an issuer calls them; null where it uses our words. */
export type RoleNames = Readonly<Record<string, Role>> | null;

/** Our roles out of a claim: a list, or words with spaces between; what is not known there gives none. */
export const rolesIn = (payload: JWTPayload, claim: string, names: RoleNames): Role[] => {
  const said = wordsIn(claimOf(payload, claim));
  return ROLES.filter((role) => said.some((word) => (names === null ? word : own(names, word)) === role));
};

const own = (names: Readonly<Record<string, Role>>, word: string): Role | undefined =>
  Object.hasOwn(names, word) ? names[word] : undefined;

const wordsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.split(/\s+/).filter((word) => word !== '');
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
};

/** A claim by its name, which may be an address with dots, or else by its path: `realm_access.roles`. */
const claimOf = (payload: JWTPayload, claim: string): unknown => {
  if (Object.hasOwn(payload, claim)) return payload[claim];
  return claim
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      payload,
    );
};

/** Who it is, for the history; null where the claim is none that can stand there. */
export const idIn = (payload: JWTPayload, claim: string): string | null => {
  const value = claimOf(payload, claim);
  const id = typeof value === 'string' && value !== '' ? `oidc:${value}` : '';
  return isPresentable(id) ? id : null;
};
