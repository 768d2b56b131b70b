import { ROLES, routes, type Role, type TokenView } from '@holdfast/api';
import { span } from '@holdfast/words';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Action } from '../action.js';
import { duration } from '../duration.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';
import { askGateway, neededFor } from '../views/gateway.js';

type Making = { readonly role?: readonly Role[]; readonly expires?: number | 'never' };

/** API tokens of a gateway. The first ones are made with the admin token that its configuration names. */
export const addTokens = (program: Command, action: Action): void => {
  const tokens = program.command('tokens').description('tokens by which programs say to a gateway who they are');
  tokens
    .command('create <name>')
    .description('make one, and print it: it is shown only now')
    .addOption(new Option('--role <role>', 'what it may do; may be repeated').choices(ROLES).argParser(role))
    .option('--expires <duration>', 'after which it is of no use, such as 12h or 30d; or never', expiry)
    .action(action(create));
  tokens
    .command('list')
    .description('all tokens, those that can be used first; what they are is kept nowhere')
    .action((options: object) => action(list)(undefined, options));
  tokens.command('revoke <id>').description('take one back, at once and for good').action(action(revoke));
};

const role = (text: string, known: readonly Role[] = []): readonly Role[] => {
  const found = ROLES.find((one) => one === text);
  if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${ROLES.join(', ')}.`);
  return [...known, found];
};

const expiry = (text: string): number | 'never' => (text === 'never' ? text : duration(text));

const create = async ({ gateway, output }: Session, name: string, options: Making): Promise<ExitCode> => {
  const ports = neededFor('tokens', gateway);
  const { role: roles = [], expires } = options;
  if (roles.length === 0) throw new Problem(EXIT.usage, 'a token without a role is of no use', 'Give --role.');
  const body = { name, roles, ...(expires === undefined ? {} : { expiresInMs: expires === 'never' ? null : expires }) };
  const made = await askGateway(ports, routes.createToken, { body });
  output.data({ kind: 'newToken', ...made });
  output.say(made.token);
  output.note(`It is shown only now. Its id is ${made.id}; it is good ${untilWhen(made)}.`);
  return EXIT.ok;
};

const list = async ({ gateway, output }: Session): Promise<ExitCode> => {
  const { items } = await askGateway(neededFor('tokens', gateway), routes.listTokens);
  for (const item of items) output.data({ kind: 'token', ...item });
  const rows = items.map((token) => [token.id, token.name, token.roles.join(', '), untilWhen(token), lastUse(token)]);
  output.say(columns(['id', 'name', 'roles', 'good', 'last used'], rows));
  return EXIT.ok;
};

const revoke = async ({ gateway, output }: Session, tokenId: string): Promise<ExitCode> => {
  const revoked = await askGateway(neededFor('tokens', gateway), routes.revokeToken, { params: { tokenId } });
  output.data({ kind: 'token', ...revoked });
  output.say(`The token ${revoked.name} (${revoked.id}) is of no more use.`);
  return EXIT.ok;
};

const untilWhen = ({ expiresAt, revokedAt, revokedBy }: TokenView): string => {
  if (revokedAt !== null) return `taken back by ${revokedBy}`;
  if (expiresAt === null) return 'for ever';
  const left = expiresAt - Date.now();
  return left <= 0 ? 'expired' : `for ${span(left)}`;
};

const lastUse = ({ lastUsedAt }: TokenView): string =>
  lastUsedAt === null ? 'never' : `${span(Math.max(0, Date.now() - lastUsedAt))} ago`;
