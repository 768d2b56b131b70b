import { routes } from '@holdfast/api';
import { span } from '@holdfast/words';
import type { Command } from 'commander';
import type { Action } from '../action.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';
import { askGateway, neededFor } from '../views/gateway.js';

export const addProjections = (program: Command, action: Action): void => {
  const projections = program
    .command('projections')
    .description('the rows that gateways keep in their database: how far they are, and to make them anew');
  projections
    .command('status')
    .description('how far the database is, and whether it says what the log says')
    .action((options: object) => action(status)(undefined, options));
  projections
    .command('rebuild')
    .description('empty the tables and make them anew out of the log; lists are incomplete meanwhile')
    .option('--yes', 'do it without being asked')
    .action((options: { readonly yes?: boolean }) => action(rebuild)(undefined, options));
};

const status = async ({ gateway, output }: Session): Promise<ExitCode> => {
  const { items, shadow } = await askGateway(neededFor('projections', gateway), routes.listProjections);
  const now = Date.now();
  for (const item of items) output.data({ kind: 'projection', ...item });
  output.data({ kind: 'shadow', shadow });
  const rows = items.map(({ source, partition, nextOffset, end, lagRecords, updatedAt }) => [
    `${source}/${partition}`,
    String(nextOffset),
    String(end),
    String(lagRecords),
    updatedAt === null ? 'never' : `${span(Math.max(0, now - updatedAt))} ago`,
  ]);
  output.say(columns(['partition', 'next', 'end', 'behind', 'written'], rows));
  if (shadow === null) output.say('This gateway compares no rows with the log.');
  else output.say(`Compared with the log: ${shadow.rowsCompared} rows, ${shadow.rounds} times a whole lane.`);
  const differs = shadow?.differs ?? null;
  if (differs === null) return EXIT.ok;
  output.say(`THEY DIFFER, first in lane ${differs.lane} at offset ${differs.offset}: ${differs.detail}`);
  output.say('Make them anew with: holdfast projections rebuild');
  return EXIT.notSucceeded;
};

const rebuild = async (
  { gateway, output }: Session,
  _: string,
  { yes }: { readonly yes?: boolean },
): Promise<ExitCode> => {
  const ports = neededFor('projections', gateway);
  if (yes !== true) {
    const what = 'a rebuild empties the tables: until it is done, lists and pages miss runs. The log is not touched';
    throw new Problem(EXIT.usage, what, 'Give --yes to do it.');
  }
  const begun = await askGateway(ports, routes.rebuildProjections);
  output.data({ kind: 'rebuild', ...begun });
  output.say(`The rows of ${begun.lanes} lanes are made anew. See how far it is: holdfast projections status`);
  return EXIT.ok;
};
