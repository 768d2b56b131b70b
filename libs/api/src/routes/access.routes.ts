import { z } from 'zod';
import { meSchema, newTokenBodySchema, newTokenSchema, tokenSchema, tokensSchema } from '../access.js';
import { route } from './route.js';

const ofToken = z.strictObject({ tokenId: z.string().regex(/^[0-9a-f]{16}$/, 'must be the id of a token') });

/** Who is asking, and the tokens by which programs do. */
export const accessRoutes = {
  whoAmI: route({
    id: 'whoAmI',
    role: 'anyone',
    method: 'GET',
    path: '/v1/me',
    tag: 'access',
    summary: 'Who is asking and with which roles, whether anybody is checked, and how to sign in',
    answers: { 200: { says: 'As the gateway sees it', body: meSchema } },
    problems: [503],
  }),
  listTokens: route({
    id: 'listTokens',
    role: 'admin',
    method: 'GET',
    path: '/v1/tokens',
    tag: 'access',
    summary: 'API tokens, the latest first; what they are is not kept',
    answers: { 200: { says: 'At most 1,000, those that can be used first', body: tokensSchema } },
    problems: [409, 503],
  }),
  createToken: route({
    id: 'createToken',
    role: 'admin',
    method: 'POST',
    path: '/v1/tokens',
    tag: 'access',
    summary: 'Make an API token',
    description: 'The answer is the only place where the token stands. Sent again, it makes another one.',
    body: newTokenBodySchema,
    answers: { 201: { says: 'The token', body: newTokenSchema } },
    problems: [409, 413, 415, 503],
  }),
  revokeToken: route({
    id: 'revokeToken',
    role: 'admin',
    method: 'POST',
    path: '/v1/tokens/{tokenId}/revoke',
    tag: 'access',
    summary: 'Take an API token back, at once and for good',
    params: ofToken,
    answers: { 200: { says: 'It is of no more use', body: tokenSchema } },
    problems: [404, 409, 503],
  }),
} as const;
