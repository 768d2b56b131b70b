import type { Command } from 'commander';
import type { Action } from '../action.js';
import { BUDGET_HELP, budgetOption } from '../budget.js';
import { duration } from '../duration.js';
import { label } from '../input.js';
import { kill, pause, resume, steer } from './steering.js';

const REASON = ['--reason <text>', 'why, for the history'] as const;

export const addSteering = (program: Command, action: Action): void => {
  program
    .command('kill <run>')
    .description('end a run at once, without waiting for anything; the report names what was under way')
    .option(...REASON)
    .action(action(kill));
  program
    .command('pause <run>')
    .description('let nothing new start in a run until it is resumed; what is claimed may finish, deadlines go on')
    .option(...REASON)
    .action(action(pause));
  program
    .command('resume <run>')
    .description('let a paused run go on where it stood')
    .option(...REASON)
    .action(action(resume));
  program
    .command('steer <run>')
    .description('give a run that is under way other bounds')
    .option('--deadline <duration>', 'how long it may still take from now on, such as 2h', duration)
    .option('--window <forEach=number>', 'items at a time, such as each=8 or outer.inner=8; may be repeated', label)
    .option(...BUDGET_HELP, budgetOption)
    .option(...REASON)
    .action(action(steer));
};
