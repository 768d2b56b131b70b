import { endReasons } from '@holdfast/events';
import { statuses } from '@holdfast/explain';
import { Argument, Option, type Command } from 'commander';
import type { Action } from '../action.js';
import { label } from '../input.js';
import { deadLetters } from './dead-letters.js';
import { executors, lanes } from './fleet.js';
import { effects, explain, get } from './looking.js';
import { addProjections } from './projections.js';
import { transcript } from './transcript.js';
import { limitOption, reasonOption, runs, RUNS_LIMIT, sinceOption, statusOption } from './runs.js';

/** The commands that only look; through a gateway where one is named, else by reading the log from its beginning. */
export const addLooking = (program: Command, action: Action): void => {
  program
    .command('runs')
    .description('list runs, the latest first')
    .addOption(new Option('--status <status>', 'only these; may be repeated').choices(statuses).argParser(statusOption))
    .addOption(new Option('--reason <reason>', 'ended so; may be repeated').choices(endReasons).argParser(reasonOption))
    .option('--label <key=value>', 'with this label; may be repeated', label)
    .option('--text <text>', 'that have it in run id, label or reason')
    .option('--since <time>', 'accepted since then, such as 2h or 2026-11-30T12:00:00Z', sinceOption)
    .option('--limit <number>', 'so many at most', limitOption, RUNS_LIMIT)
    .action((options) => action(runs)(undefined, options));
  program.command('get <run>').description('print one run: status, labels, use, report, output').action(action(get));
  program
    .command('explain <run>')
    .description('why it does not move, what it did, what it cost, what a cancel, a resume or a repeat would do')
    .action(action(explain));
  program
    .command('effects <run>')
    .description('the ledger: each call that changes something, what became of it, and by what that is known')
    .option('--all', 'with the calls that change nothing outside')
    .action(action(effects));
  program
    .command('transcript <run>')
    .description('what its agents did, turn by turn: what the model said, what it called, what came back')
    .option('--agent <path>', 'of this one alone, such as agent or file[17].check')
    .option('--whole', 'without cutting long lines')
    .action(action(transcript));
  addCluster(program, action);
  addProjections(program, action);
};

const addCluster = (program: Command, action: Action): void => {
  program
    .command('executors')
    .description('executors, what they serve and whether they live')
    .action((options: object) => action(executors)(undefined, options));
  program
    .command('lanes')
    .description('lanes: owner, epoch, end, and what is not read yet')
    .action((options: object) => action(lanes)(undefined, options));
  program
    .command('dead-letters')
    .addArgument(new Argument('[id]', 'one of them, as the list shows it'))
    .description('records that nobody could read: list them, look at one, or send a request among them again')
    .option('--topic <topic>', 'of one topic only')
    .option('--limit <number>', 'so many at most', limitOption, RUNS_LIMIT)
    .option('--send-again', 'put it into its topic again, as it was; noted with who has asked for it')
    .action(action(deadLetters));
};
