import { rightsOf, roles, topicNames, type Role } from '@holdfast/contracts';
import type { Acls, Grant } from '@holdfast/log';
import { count } from '@holdfast/words';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Action } from '../action.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';

type Holder = { readonly role: Role; readonly principal: string };
type Options = { readonly principal?: readonly Holder[]; readonly apply?: boolean; readonly revokeOthers?: boolean };

export const addAcls = (program: Command, action: Action): void => {
  program
    .command('acls')
    .description('print which rights each role needs at the brokers, or grant them to principals')
    .addOption(
      new Option(
        '--principal <role=User:name>',
        `who has a role, may be repeated; roles: ${roles.join(', ')}`,
      ).argParser(holder),
    )
    .option('--print', 'only print them (the default)')
    .option('--apply', 'grant what is missing; as a principal that may alter the cluster')
    .option('--revoke-others', 'with --apply, take away what these principals have in this namespace beyond it')
    .action((options: Options) => action(acls)(undefined, options));
};

const holder = (text: string, known: readonly Holder[] = []): readonly Holder[] => {
  const [, name, principal] = /^([a-z]+)=(User:.+)$/.exec(text) ?? [];
  const role = roles.find((one) => one === name);
  if (role === undefined || principal === undefined)
    throw new InvalidArgumentError(`give it as role=User:name, with a role of ${roles.join(', ')}`);
  return [...known, { role, principal }];
};

const acls = async (session: Session, _: string, options: Options): Promise<ExitCode> => {
  const { principal: given = [], apply = false, revokeOthers = false } = options;
  if (apply && given.length === 0)
    throw new Problem(
      EXIT.usage,
      'nobody is named',
      'Name who has which role: --principal coordinator=User:coordinator',
    );
  const holders = given.length > 0 ? given : roles.map((role) => ({ role, principal: `User:${role}` }));
  if (!apply) return print(session, holders);
  const lists = (await session.cluster()).acls;
  for (const principal of new Set(holders.map((one) => one.principal))) {
    const wanted = holders
      .filter((one) => one.principal === principal)
      .flatMap((one) => grantsOf(session.namespace, one));
    await grant(session, lists, { principal, wanted, revokeOthers });
  }
  return EXIT.ok;
};

const print = ({ output, namespace }: Session, holders: readonly Holder[]): ExitCode => {
  const names = topicNames(namespace);
  const rows = holders.flatMap(({ role, principal }) =>
    rightsOf(names, role).map(({ resource, operations }) => ({ role, principal, ...resource, operations })),
  );
  for (const row of rows) output.data({ kind: 'right', ...row });
  const lines = rows.map(({ role, principal, type, name, pattern, operations }) => [
    role,
    principal,
    type,
    pattern === 'prefixed' ? `${name}*` : name,
    operations.join(', '),
  ]);
  output.say(columns(['role', 'principal', 'what', 'name', 'may'], lines));
  output.say('Everything else is refused, if the brokers have allow.everyone.if.no.acl.found=false.');
  return EXIT.ok;
};

const grantsOf = (namespace: string, { role, principal }: Holder): readonly Grant[] =>
  rightsOf(topicNames(namespace), role).flatMap(({ resource, operations }) =>
    operations.map((operation) => ({ principal, ...resource, operation })),
  );

type Wish = { readonly principal: string; readonly wanted: readonly Grant[]; readonly revokeOthers: boolean };

const grant = async (session: Session, lists: Acls, { principal, wanted, revokeOthers }: Wish): Promise<void> => {
  const { output, namespace } = session;
  const held = await lists.of(principal);
  const has = new Set(held.map(textOf));
  const wants = new Set(wanted.map(textOf));
  const missing = wanted.filter((one) => !has.has(textOf(one)));
  const others = held.filter((one) => one.name.startsWith(`${namespace}.`) && !wants.has(textOf(one)));
  await lists.grant(missing);
  if (revokeOthers) await lists.revoke(others);
  output.data({
    kind: 'granted',
    principal,
    granted: missing.length,
    kept: wants.size - missing.length,
    others,
    revoked: revokeOthers,
  });
  output.say(`${principal}: ${count(missing.length, 'right')} granted, ${wants.size - missing.length} were there.`);
  const end = revokeOthers ? 'taken away' : 'has it beyond its roles; --revoke-others takes it away';
  for (const other of others) output.say(`  ${textOf(other)}: ${end}`);
};

const textOf = ({ type, name, pattern, operation }: Grant): string =>
  `${operation} ${type} ${name}${pattern === 'prefixed' ? '*' : ''}`;
