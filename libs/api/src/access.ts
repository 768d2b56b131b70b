import { z } from 'zod';
import { at } from './common.js';
import { ROLES } from './roles.js';

export const roleSchema = z.enum(ROLES);

/** Who is asking, as the gateway knows it. */
export const principalSchema = z.object({
  /** As it stands in the history: `token:<name>`, `oidc:<subject>`, or the name that was given where nobody is checked. */
  id: z.string(),
  roles: z.array(roleSchema),
  via: z.enum(['anonymous', 'token', 'oidc']),
  /** When whatever it rests on runs out. */
  expiresAt: at.nullable(),
});
export type PrincipalView = z.infer<typeof principalSchema>;

/** What a page needs to know for signing somebody in. */
export const meSchema = z.object({
  /** `none`: whoever may reach this gateway may do everything, and it listens for its own machine alone. */
  authentication: z.enum(['none', 'required']),
  /** Null for whoever did not say who they are. */
  principal: principalSchema.nullable(),
  signIn: z.object({
    /** API tokens are taken. */
    tokens: z.boolean(),
    /** A page may sign people in there by the code flow with PKCE. */
    oidc: z.object({ issuer: z.string(), clientId: z.string(), scope: z.string() }).nullable(),
  }),
});
export type Me = z.infer<typeof meSchema>;

/** An API token without what it is: only its hash is kept. */
export const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  roles: z.array(roleSchema),
  createdAt: at,
  createdBy: z.string(),
  /** Null where it does not expire. */
  expiresAt: at.nullable(),
  revokedAt: at.nullable(),
  revokedBy: z.string().nullable(),
  /** Right to a minute. */
  lastUsedAt: at.nullable(),
});
export type TokenView = z.infer<typeof tokenSchema>;
export const tokensSchema = z.object({ items: z.array(tokenSchema) });

/** The only answer that holds a token. */
export const newTokenSchema = tokenSchema.extend({ token: z.string() });

const DAY_MS = 86_400_000;
export const TOKEN_DAYS = 90;

export const newTokenBodySchema = z.strictObject({
  /** Stands in the history as `token:<name>`. */
  name: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u, 'must be 1 to 100 letters, digits, . _ @ + or -'),
  roles: z.array(roleSchema).min(1).max(ROLES.length),
  /** Null for a token that does not expire. */
  expiresInMs: z
    .int()
    .min(1_000)
    .max(3_650 * DAY_MS)
    .nullable()
    .default(TOKEN_DAYS * DAY_MS),
});
