import { ROLES, type Role } from '@holdfast/api';
import { list, millis, setting, wholeNumber, yesOrNo } from '@holdfast/service';
import type { z } from 'zod';
import { isLoopback } from '../foreign.js';
import { ALGORITHMS } from './oidc/oidc.js';
import { isSafe } from './oidc/published.js';

const WAYS = ['tokens', 'oidc'] as const;
export type Way = (typeof WAYS)[number];
const isWay = (text: string): text is Way => (WAYS as readonly string[]).includes(text);

/** As it can stand in a header; guessing so many characters is hopeless where they are random. */
const ADMIN_TOKEN = /^[A-Za-z0-9._~+/=-]{32,500}$/;
export const isAdminToken = (text: string): boolean => ADMIN_TOKEN.test(text);
const ADMIN_TOKEN_FORM = '32 to 500 random letters, digits or . _ ~ + / = -';

const address = setting('an https:// address without ? and #', (text) =>
  isSafe(text) && !/[?#]/.test(text) ? text : undefined,
);
const oneLine = (expected: string) => setting(expected, (text) => (/^[^\p{C}]+$/u.test(text) ? text : undefined));

/** `ops:operator,everyone:viewer`: our roles by the issuer's words, which may hold `:`. */
const roleNames = setting('names with roles, such as ops:operator,leads:approver', (text) => {
  const found: Record<string, Role> = {};
  for (const part of text.split(',').map((one) => one.trim())) {
    const at = part.lastIndexOf(':');
    const [name, role] = [part.slice(0, at).trim(), ROLES.find((one) => one === part.slice(at + 1).trim())];
    if (at < 1 || role === undefined || name === '') return undefined;
    found[name] = role;
  }
  return found as Readonly<Record<string, Role>>;
});

/** Who is let in, and how they say who they are. */
export const authSettings = {
  auth: list('tokens, oidc, or both with a comma between', isWay)
    .default([])
    .describe('how whoever asks says who they are; without it nobody is asked, and it listens on loopback only'),
  adminToken: setting(ADMIN_TOKEN_FORM, (text) => (isAdminToken(text) ? text : undefined), { secret: true })
    .optional()
    .describe('a token with the role admin, for making the first ones'),
  adminTokenFile: oneLine('the path of a file').optional().describe('the file that holds that token'),
  oidcIssuer: address.optional().describe('who issues tokens, as iss says it to the letter'),
  oidcAudience: list('audiences with commas between', () => true)
    .default([])
    .describe('for whom a token must be issued: one of these'),
  oidcJwks: setting('an https:// address, or the path of a file', (text) =>
    !URL.canParse(text) || isSafe(text) ? text : undefined,
  )
    .optional()
    .describe("address or file of the issuer's keys, where not what it publishes itself"),
  oidcAlgorithms: list(`some of ${ALGORITHMS.join(' ')}`, (one) => ALGORITHMS.includes(one))
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('signatures of tokens that count'),
  oidcPrincipalClaim: oneLine('the name of a claim').default('sub').describe('the claim that stands in the history'),
  oidcRolesClaim: oneLine('the name of a claim')
    .default('roles')
    .describe('the claim that holds roles, by its name or its path'),
  oidcRoles: roleNames
    .optional()
    .describe("our roles by the issuer's words; without it these are viewer, operator, approver, admin"),
  oidcToleranceMs: millis(0, 300_000).default(5_000).describe('how far the clock of the issuer may be apart'),
  oidcClientId: oneLine('the id of a client')
    .optional()
    .describe('the public client as which the page signs people in'),
  oidcScope: oneLine('scopes with spaces between').default('openid').describe('what the page asks the issuer for'),
  fourEyes: yesOrNo().default(false).describe('whether whoever has submitted a run may not answer its questions'),
  failedSignInsPerMinute: wholeNumber(0, 1_000_000)
    .default(60)
    .describe('tokens that are none, from one address in a minute; 0 for no bound'),
} as const;

export type AuthSettings = Readonly<z.output<z.ZodObject<typeof authSettings>>>;

/** What of it does not go together, each in a sentence that begins with its variable. */
export const authProblems = (settings: AuthSettings & { readonly httpHost: string }): readonly string[] => [
  ...exposed(settings),
  ...halves(settings),
];

const exposed = ({ auth, httpHost }: { readonly auth: readonly string[]; readonly httpHost: string }): string[] =>
  auth.length > 0 || isLoopback(httpHost)
    ? []
    : [
        `HOLDFAST_HTTP_HOST: ${httpHost} can be reached by others, and nobody is asked who they are; set HOLDFAST_AUTH ` +
          `to tokens or oidc, or listen on 127.0.0.1`,
      ];

const halves = (settings: AuthSettings): string[] => {
  const { auth, adminToken, adminTokenFile, oidcIssuer, oidcAudience, oidcJwks, oidcClientId, oidcRoles } = settings;
  const found: string[] = [];
  const when = (is: boolean, problem: string): void => void (is && found.push(problem));
  const usesOidc = auth.includes('oidc');
  const hasOidc = [oidcIssuer, oidcJwks, oidcClientId, oidcRoles].some((one) => one !== undefined);
  const hasAdmin = adminToken !== undefined || adminTokenFile !== undefined;
  when(
    !usesOidc && (hasOidc || oidcAudience.length > 0),
    'HOLDFAST_AUTH: does not name oidc, but there are settings for it',
  );
  when(!auth.includes('tokens') && hasAdmin, 'HOLDFAST_AUTH: does not name tokens, but there is an admin token');
  when(usesOidc && oidcIssuer === undefined, 'HOLDFAST_OIDC_ISSUER: is needed, since HOLDFAST_AUTH names oidc');
  when(
    usesOidc && oidcAudience.length === 0,
    'HOLDFAST_OIDC_AUDIENCE: is needed, since HOLDFAST_AUTH names oidc: without it, tokens for others would be taken',
  );
  when(
    adminToken !== undefined && adminTokenFile !== undefined,
    'HOLDFAST_ADMIN_TOKEN: and HOLDFAST_ADMIN_TOKEN_FILE cannot both be set',
  );
  return found;
};
