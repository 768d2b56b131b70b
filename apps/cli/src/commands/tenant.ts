import type { Command } from 'commander';
import { addAmounts, leftOf, tenantSchema } from '@holdfast/events';
import { InvalidArgumentError } from 'commander';
import { budgetOf, BUDGET_HELP, budgetOption } from '../budget.js';
import type { Action } from '../action.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { amountsWords as amounts } from '@holdfast/words';
import { tell } from './requests.js';

export const addTenant = (program: Command, action: Action): void => {
  program
    .command('tenant')
    .argument('<name>', 'whoever pays for runs', tenantName)
    .description('say what all runs of a tenant may use together, or show what is left of it')
    .option(...BUDGET_HELP, budgetOption)
    .action(action(tenant));
};

const tenantName = (text: string): string => {
  const checked = tenantSchema.safeParse(text);
  if (checked.success) return checked.data;
  throw new InvalidArgumentError(checked.error.issues.map(({ message }) => message).join('; '));
};

export type TenantArguments = { readonly budget?: readonly string[] };

const tenant = async (session: Session, name: string, { budget }: TenantArguments): Promise<ExitCode> => {
  if (budget === undefined) return show(session, name);
  const { idleMs, depth, onExhausted, ...bounds } = await budgetOf(budget);
  if (idleMs !== undefined || depth !== undefined || onExhausted !== undefined) {
    throw new Problem(EXIT.usage, 'idle, depth and onExhausted belong to a run', 'Leave them out for a tenant.');
  }
  const client = await session.client();
  const answer = await client.setTenantBudget(name, { budget: bounds, principal: session.principal });
  tell(session, answer, `Tenant ${name} may use that from now on`);
  return EXIT.ok;
};

const show = async ({ client, output }: Session, name: string): Promise<ExitCode> => {
  const known = await (await client()).readTenant(name);
  if (known === undefined) {
    throw new Problem(
      EXIT.notFound,
      `tenant ${name} has no budget`,
      `Set one: holdfast tenant ${name} --budget effects=100`,
    );
  }
  const left = leftOf(known.amounts, known.committed);
  output.data({ kind: 'tenant', tenant: name, amounts: known.amounts, committed: known.committed, left });
  output.say(`Tenant ${name} may use ${amounts(known.amounts)}.`);
  output.say(
    `Used by its runs and granted to them: ${amounts(addAmounts({}, known.committed))}. Left: ${amounts(left)}.`,
  );
  return EXIT.ok;
};
