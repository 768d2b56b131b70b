import { routes, type AnswerOf, type AskedOf, type Me } from '@holdfast/api';
import { Controller, Inject, Req } from '@nestjs/common';
import type { Request } from 'express';
import { signedIn } from '../auth/principal.js';
import type { TokenStore } from '../auth/token-store.js';
import { makeToken } from '../auth/token-text.js';
import { tokenView } from '../auth/tokens.js';
import type { Asker } from '../asking.js';
import { PARTS, type HttpParts } from '../parts.js';
import { missing, ProblemError } from '../problems.js';
import { Asked, principalOf, Serves, Who } from '../serves.js';

type Of<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;
type Said<R extends keyof typeof routes> = AnswerOf<(typeof routes)[R]>;
type Asking = Omit<Asker, 'body'>;

/** Who is asking, and API tokens. */
@Controller()
export class AccessController {
  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.whoAmI)
  whoAmI(@Req() request: Request): Me {
    const { authenticator, signIn } = this.parts.access;
    const known = signedIn(request);
    const principal = known === null ? null : { ...known, id: principalOf(request) };
    return { authentication: authenticator.required ? 'required' : 'none', principal, signIn };
  }

  @Serves(routes.listTokens)
  async list(): Promise<Said<'listTokens'>> {
    const rows = await this.tokens().list();
    return { items: rows.map(tokenView) };
  }

  @Serves(routes.createToken)
  async create(@Asked() { body }: Of<'createToken'>, @Who() { principal }: Asking): Promise<Said<'createToken'>> {
    const { clock, logger } = this.parts;
    const { id, token, hash } = makeToken();
    const createdAt = clock.now();
    const expiresAt = body.expiresInMs === null ? null : createdAt + body.expiresInMs;
    const unused = { revokedAt: null, revokedBy: null, lastUsedAt: null };
    const row = { id, name: body.name, hash, roles: [...new Set(body.roles)], createdAt, createdBy: principal };
    await this.tokens().add({ ...row, expiresAt, ...unused });
    logger.info({ tokenId: id, name: body.name, roles: row.roles, by: principal }, 'an API token is made');
    return { ...tokenView({ ...row, expiresAt, ...unused }), token };
  }

  @Serves(routes.revokeToken)
  async revoke(@Asked() { params }: Of<'revokeToken'>, @Who() { principal }: Asking): Promise<Said<'revokeToken'>> {
    const { tokenId } = params;
    const row = await this.tokens().revoke(tokenId, principal, this.parts.clock.now());
    if (row === null) throw missing('unknown_token', `There is no API token ${tokenId}.`);
    this.parts.logger.info({ tokenId, name: row.name, by: principal }, 'an API token is taken back');
    return tokenView(row);
  }

  private tokens(): TokenStore {
    const { tokens } = this.parts.access;
    if (tokens !== null) return tokens;
    throw new ProblemError(409, {
      code: 'tokens_not_taken',
      detail: 'This gateway takes no API tokens.',
      advice: 'HOLDFAST_AUTH says who is let in: name tokens there.',
    });
  }
}
