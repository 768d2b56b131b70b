import { Command, InvalidArgumentError, Option } from 'commander';
import { victims, type Victim } from './mission/kill-schedule.js';
import { STEPS_PER_DOCUMENT } from './plan.js';

export type MissionOptions = {
  readonly count: number;
  /** A folder with the documents; null: the project's own `node_modules`. */
  readonly documents: string | null;
  readonly kill: Victim | 'none';
  readonly killAt: number;
  readonly kills: number;
  readonly executors: number;
  readonly coordinators: number;
  readonly seed: number;
  readonly ledger: string | null;
  readonly report: string | null;
  readonly keep: boolean;
  readonly unsafe: 'retry-on-loss' | null;
  /** How long nothing may happen before the mission gives up. */
  readonly patienceMs: number;
};

const KILL_AT = 613;

type Given = Omit<MissionOptions, 'killAt' | 'patienceMs' | 'documents' | 'ledger' | 'report' | 'keep' | 'unsafe'> & {
  readonly documents?: string;
  readonly killAt?: number;
  readonly ledger?: string;
  readonly report?: string;
  readonly keep?: true;
  readonly unsafe?: 'retry-on-loss';
  readonly patience: number;
};

/** Reads the command line; ends the process with a sentence when it cannot be understood. */
export const parseOptions = (argv: readonly string[]): MissionOptions => {
  const command = describe();
  const given = command.parse(argv, { from: 'user' }).opts<Given>();
  const steps = given.count * STEPS_PER_DOCUMENT;
  if (given.killAt !== undefined && given.killAt >= steps) {
    command.error(`error: --kill-at ${given.killAt} is never reached: ${given.count} documents make ${steps} steps`);
  }
  return {
    count: given.count,
    documents: given.documents ?? null,
    kill: given.kill,
    // A short mission dies earlier, so that `--count 20` shows something too.
    killAt: given.killAt ?? (KILL_AT < steps ? KILL_AT : Math.max(1, Math.floor(steps / 3))),
    kills: given.kills,
    executors: given.executors,
    coordinators: given.coordinators,
    seed: given.seed,
    ledger: given.ledger ?? null,
    report: given.report ?? null,
    keep: given.keep ?? false,
    unsafe: given.unsafe ?? null,
    patienceMs: given.patience * 1_000,
  };
};

const describe = (): Command =>
  new Command('npm start --')
    .description(
      'Files documents at a records office that has no transactions, kills the worker in the middle, ' +
        'and shows that no filing was repeated and none was lost.',
    )
    .option('--count <n>', 'documents to file', whole(1, 1_000_000), 2_000)
    .option('--documents <dir>', 'folder with the documents (default: node_modules)')
    .addOption(new Option('--kill <what>', 'what is killed').choices([...victims, 'none']).default('worker'))
    .option('--kill-at <n>', `kill when so many steps have succeeded (default: ${KILL_AT})`, whole(1, 3_000_000))
    .option('--kills <n>', 'further kills of all kinds, spread over the run', whole(0, 1_000), 0)
    .option('--executors <n>', 'executors to start', whole(1, 16), 1)
    .option('--coordinators <n>', 'coordinators to start', whole(1, 16), 1)
    .option('--seed <n>', 'decides the bad manners of the office and further kills', whole(0, 2 ** 31), 1)
    .option('--ledger <file>', 'where the office writes its ledger')
    .option('--report <file>', 'where the report goes, as JSON')
    .option('--keep', 'stay up afterwards, until Ctrl-C')
    .addOption(
      new Option('--unsafe <way>', 'the control experiment: repeat what was lost without asking').choices([
        'retry-on-loss',
      ]),
    )
    .option('--patience <s>', 'give up when nothing has happened for so many seconds', whole(1, 86_400), 120);

const whole =
  (low: number, high: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && text.trim() !== '' && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  };
