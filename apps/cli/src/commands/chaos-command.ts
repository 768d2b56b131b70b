import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Action } from '../action.js';
import { duration } from '../duration.js';

const STRIKES_MAX = 2_000;
const RUNS_MAX = 50;
const FLEETS_MAX = 8;
const WITHIN_MS = 15 * 60_000;

const between =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`give a whole number from ${min} to ${max}`);
  };

const namespace = (text: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,89}$/.test(text)) return text;
  throw new InvalidArgumentError('give up to 90 letters, digits, dots, _ or -');
};

export const addChaos = (program: Command, action: Action): void => {
  program
    .command('chaos <plan>')
    .description('run a plan with its tools while services are killed at every failpoint, and count its effects')
    .requiredOption('--tools <module...>', 'modules with the tools, as services load them')
    .option('--input <file|json>', 'input of each run')
    .option('--runs <n>', 'runs under way at each strike', between(1, RUNS_MAX), 5)
    .option('--sweeps <n>', 'how often each failpoint is struck, to kill and to freeze', between(1, 20), 1)
    .option('--kills <n>', 'instead of sweeps, so many strikes at random', between(1, STRIKES_MAX))
    .addOption(
      new Option('--within <duration>', 'begin no strike after this time')
        .argParser(duration)
        .default(WITHIN_MS, '15m'),
    )
    .option('--ledger <url>', 'count effects there: GET answers [{ "key": … }, …]; otherwise the tools are asked')
    .option('--strict', 'count repeats of pure and repeatable tools as duplicates, too')
    .option('--fleets <n>', 'fleets of services side by side', between(1, FLEETS_MAX), 1)
    .option('--into <namespace>', 'a namespace that nobody uses; default: a fresh one', namespace)
    .option('--seed <n>', 'what is random follows from it', between(0, 2 ** 31))
    .option('--report <file>', 'where the numbers go, as JSON')
    .option('--yes', 'this is my own cluster, and all effects may be made')
    .action(
      action(async (session, file: string, options: import('./chaos.js').ChaosArguments) => {
        // Loaded when it is asked for: the other commands need nothing of it.
        const { chaos } = await import('./chaos.js');
        return chaos(session, file, options);
      }),
    );
};
