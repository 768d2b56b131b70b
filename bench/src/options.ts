import { Argument, Command, InvalidArgumentError } from 'commander';

export const workloads = ['sequential', 'fanout', 'small', 'cancel', 'project', 'takeover'] as const;
export type WorkloadName = (typeof workloads)[number];

export type BenchOptions = {
  readonly workload: WorkloadName;
  readonly count: number;
  readonly window: number;
  /** Gateways that share the lanes; only for `project`. */
  readonly gateways: number;
  /** Takeovers of each kind; only for `takeover`. */
  readonly rounds: number;
  readonly json: string | null;
};

const COUNTS: Readonly<Record<WorkloadName, number>> = {
  sequential: 613,
  fanout: 2_000,
  small: 2_000,
  cancel: 100,
  project: 100_000,
  takeover: 1_000_000,
};

/** Reads the command line; ends the process with a sentence when it cannot be understood. */
export const parseOptions = (argv: readonly string[]): BenchOptions => {
  const command = new Command('npm run bench --')
    .description('Measures on a real broker, with claimed effects over HTTP, and counts what was repeated or lost.')
    .addArgument(new Argument('<workload>', 'what is measured').choices(workloads))
    .option(
      '--count <n>',
      'steps (sequential), documents (fanout), runs (small, project), cancels (cancel) or events (takeover: so many, ' +
        'a tenth and a hundredth); default: 613, 2000, 2000, 100000, 100, 1000000',
      positive,
    )
    .option('--window <n>', 'documents or runs under way at the same time', positive, 32)
    .option('--rounds <n>', 'takeovers of each kind, of which the median counts', positive, 3)
    .option('--gateways <n>', 'gateways that project', positive, 1)
    .option('--json <file>', 'where the numbers go')
    .parse(argv, { from: 'user' });
  const given = command.opts<{ count?: number; window: number; gateways: number; rounds: number; json?: string }>();
  const workload = command.args[0] as WorkloadName;
  const { window, gateways, rounds, json = null } = given;
  return { workload, count: given.count ?? COUNTS[workload], window, gateways, rounds, json };
};

const positive = (text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
};
