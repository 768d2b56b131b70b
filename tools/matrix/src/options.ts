import { failpointNames, type FailpointName } from '@holdfast/service/failpoint';
import { Command, InvalidArgumentError } from 'commander';

export type MatrixOptions = {
  /** Each failpoint once, with each action. */
  readonly sweeps: number;
  /** Instead of sweeps: so many failpoints at random. */
  readonly kills: number | null;
  readonly seed: number;
  readonly fleets: number;
  /** Only these. */
  readonly points: readonly FailpointName[];
  readonly report: string | null;
  readonly docs: boolean;
};

/** Reads the command line; ends the process with a sentence when it cannot be understood. */
export const parseOptions = (argv: readonly string[]): MatrixOptions => {
  const command = new Command('npm run chaos --')
    .description(
      'Kills and freezes each service at each failpoint on a real broker, with a run of each replay policy under way, ' +
        'and counts effects that were repeated or lost.',
    )
    .option('--sweeps <n>', 'how often each failpoint is struck, once to kill and once to freeze', positive, 1)
    .option('--kills <n>', 'instead of sweeps, so many strikes at random', positive)
    .option('--seed <n>', 'what is random follows from it; default: the time', whole)
    .option('--fleets <n>', 'fleets of services side by side, each in a namespace of its own', positive, 3)
    .option('--point <name...>', 'only these failpoints', point)
    .option('--report <file>', 'where the numbers go, as JSON')
    .option('--docs', 'write docs/crash-matrix.md', false)
    .parse(argv, { from: 'user' });
  const given = command.opts<{
    sweeps: number;
    kills?: number;
    seed?: number;
    fleets: number;
    point?: readonly FailpointName[];
    report?: string;
    docs: boolean;
  }>();
  return {
    sweeps: given.sweeps,
    kills: given.kills ?? null,
    seed: given.seed ?? Date.now() % 1_000_000,
    fleets: given.fleets,
    points: given.point ?? failpointNames,
    report: given.report ?? null,
    docs: given.docs,
  };
};

const positive = (text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
};

const whole = (text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a whole number.');
};

const point = (text: string, known: readonly FailpointName[] = []): readonly FailpointName[] => {
  const found = failpointNames.find((name) => name === text);
  if (found !== undefined) return [...known, found];
  throw new InvalidArgumentError(`Failpoints are ${failpointNames.join(', ')}.`);
};
