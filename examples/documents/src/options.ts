import { Command, InvalidArgumentError, Option } from 'commander';
import type { PlannedCancel } from './mission/canceller.js';
import { victims, type Victim } from './mission/kill-schedule.js';
import { STEPS_PER_DOCUMENT } from './plan.js';

export type MissionOptions = {
  readonly count: number;
  /** A folder with the documents; null: the project's own `node_modules`. */
  readonly documents: string | null;
  readonly kill: Victim | 'none';
  readonly killAt: number;
  readonly kills: number;
  readonly cancel: PlannedCancel | null;
  readonly executors: number;
  readonly coordinators: number;
  /** Brokers to start, unless `KAFKA_BROKERS` names some. */
  readonly brokers: number;
  readonly seed: number;
  readonly ledger: string | null;
  readonly report: string | null;
  readonly keep: boolean;
  readonly unsafe: 'retry-on-loss' | null;
  /** Where the office is, when it and all services are run by somebody else. */
  readonly office: string | null;
  /** The model that summarises, behind an endpoint that the environment names; null: none, summaries are computed. */
  readonly model: string | null;
  /** How long nothing may happen before the mission gives up. */
  readonly patienceMs: number;
};

const KILL_AT = 613;
const WITHIN_MS = 10_000;

type Required = 'count' | 'kills' | 'executors' | 'coordinators' | 'brokers' | 'seed';
type Given = Pick<MissionOptions, Required> & {
  readonly documents?: string;
  readonly kill?: MissionOptions['kill'];
  readonly killAt?: number;
  readonly cancelAt?: number;
  readonly within?: number;
  readonly freeze?: true;
  readonly ledger?: string;
  readonly report?: string;
  readonly keep?: true;
  readonly unsafe?: 'retry-on-loss';
  readonly office?: string;
  readonly model?: string;
  readonly patience: number;
};

/** Reads the command line; ends the process with a sentence when it cannot be understood. */
export const parseOptions = (
  argv: readonly string[],
  command = missionCommand(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): MissionOptions => {
  const given = command.parse(argv, { from: 'user' }).opts<Given>();
  const kill = killOf(given);
  const problem = problemOf(given, kill) ?? modelProblem(given, env);
  if (problem !== null) command.error(`error: ${problem}`);
  return {
    count: given.count,
    documents: given.documents ?? null,
    ...kill,
    kills: given.kills,
    cancel: cancelOf(given),
    executors: given.executors,
    coordinators: given.coordinators,
    brokers: given.brokers,
    seed: given.seed,
    ledger: given.ledger ?? null,
    report: given.report ?? null,
    keep: given.keep ?? false,
    unsafe: given.unsafe ?? null,
    office: given.office ?? null,
    model: given.model ?? null,
    patienceMs: given.patience * 1_000,
  };
};

type Kill = Pick<MissionOptions, 'kill' | 'killAt'>;

const killOf = ({ count, kill, killAt, cancelAt, office }: Given): Kill => {
  // Who looks at a cancel sees nothing else, unless it was asked for; and only what was started here can be killed.
  const isAsked = (cancelAt === undefined && office === undefined) || killAt !== undefined;
  const steps = cancelAt ?? count * STEPS_PER_DOCUMENT;
  return {
    kill: kill ?? (isAsked ? 'worker' : 'none'),
    // A short mission dies earlier, so that `--count 20` shows something too.
    killAt: killAt ?? (KILL_AT < steps ? KILL_AT : Math.max(1, Math.floor(steps / 3))),
  };
};

const cancelOf = ({ cancelAt, within = WITHIN_MS, freeze }: Given): PlannedCancel | null =>
  cancelAt === undefined ? null : { atStep: cancelAt, withinMs: within, freeze: freeze ?? false };

/** What is wrong with options that are each right by themselves, in words; null if nothing is. */
const problemOf = (given: Given, kill: Kill): string | null => {
  const { count, killAt, cancelAt } = given;
  const steps = count * STEPS_PER_DOCUMENT;
  const never = (option: string, step: number): string =>
    `${option} ${step} is never reached: ${count} documents make ${steps} steps`;
  if (given.office !== undefined && reachesFurther(given))
    return '--office cannot go with --kill, --kill-at, --kills, --freeze, --keep or --unsafe: what runs elsewhere is not touched';
  if (killAt !== undefined && killAt >= steps) return never('--kill-at', killAt);
  if (cancelAt === undefined) return lonelyOf(given);
  if (cancelAt >= steps) return never('--cancel-at', cancelAt);
  return conflictOf(given, kill, cancelAt);
};

/** Asked only where it is wanted: a key that is there for something else must not be spent. */
const modelProblem = ({ model, office }: Given, env: Readonly<Record<string, string | undefined>>): string | null => {
  if (model === undefined || office !== undefined) return null;
  if (ENDPOINT.some((name) => (env[name] ?? '') !== '')) return null;
  return '--model needs an endpoint: set OPENAI_API_KEY, or OPENAI_BASE_URL where it wants no key';
};

const ENDPOINT = ['OPENAI_API_KEY', 'OPENAI_API_KEY_FILE', 'OPENAI_BASE_URL'];

const reachesFurther = ({ kill = 'none', killAt, kills, freeze, keep, unsafe }: Given): boolean =>
  kill !== 'none' || kills > 0 || [killAt, freeze, keep, unsafe].some((one) => one !== undefined);

const lonelyOf = ({ within, freeze }: Given): string | null => {
  if (freeze === true) return '--freeze needs --cancel-at: executors are frozen at the moment of a cancel';
  if (within !== undefined) return '--within needs --cancel-at: it says how soon a cancelled run must be over';
  return null;
};

const conflictOf = ({ unsafe, freeze, kills }: Given, { kill, killAt }: Kill, cancelAt: number): string | null => {
  if (unsafe !== undefined)
    return '--unsafe cannot go with --cancel-at: tools that are repeated without asking leave no effects to report';
  if (kill !== 'none' && killAt >= cancelAt)
    return `--kill-at ${killAt} is never reached: the run is cancelled at step ${cancelAt}`;
  if (freeze === true && (kill !== 'none' || kills > 0))
    return '--freeze cannot go with --kill, --kill-at or --kills: an executor that is just being started would stay awake';
  return null;
};

/** What the command line may say. */
export const missionCommand = (): Command =>
  new Command('npm start --')
    .description(
      'Files documents at a records office that has no transactions, kills the worker in the middle, ' +
        'and shows that no filing was repeated and none was lost.',
    )
    .option('--count <n>', 'documents to file', whole(1, 1_000_000), 2_000)
    .option('--documents <dir>', 'folder with the documents (default: node_modules)')
    .addOption(
      new Option('--kill <what>', 'what is killed (default: worker; none with --cancel-at)').choices([
        ...victims,
        'none',
      ]),
    )
    .option('--kill-at <n>', `kill when so many steps have succeeded (default: ${KILL_AT})`, whole(1, 3_000_000))
    .option('--kills <n>', 'further kills of all kinds, spread over the run', whole(0, 1_000), 0)
    .option('--cancel-at <n>', 'cancel the run when so many steps have succeeded', whole(1, 3_000_000))
    .option('--within <time>', 'how soon the cancelled run must be over, such as 500ms or 10s (default: 10s)', duration)
    .option('--freeze', 'freeze all executors at the moment of the cancel; they are woken when the run is over')
    .option('--executors <n>', 'executors to start', whole(1, 16), 1)
    .option('--coordinators <n>', 'coordinators to start', whole(1, 16), 1)
    .option('--brokers <n>', 'brokers to start: with three or more, three copies and two in sync', whole(1, 5), 1)
    .option('--seed <n>', 'decides the bad manners of the office and further kills', whole(0, 2 ** 31), 1)
    .option('--ledger <file>', 'where the office writes its ledger')
    .option('--report <file>', 'where the report goes, as JSON')
    .option('--keep', 'open the console with the mission, and stay up afterwards until Ctrl-C')
    .addOption(
      new Option('--unsafe <way>', 'the control experiment: repeat what was lost without asking').choices([
        'retry-on-loss',
      ]),
    )
    .option('--office <url>', 'start nothing: the services and this office run already (needs KAFKA_BROKERS)')
    .option(
      '--model <name>',
      'summaries are written by this model, at the endpoint of OPENAI_API_KEY and OPENAI_BASE_URL; this costs money there',
    )
    .option('--patience <s>', 'give up when nothing has happened for so many seconds', whole(1, 86_400), 120);

const whole =
  (low: number, high: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && text.trim() !== '' && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  };

const MS_OF: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

const duration = (text: string): number => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (MS_OF[unit ?? ''] ?? Number.NaN));
  if (ms >= 1 && ms <= 3_600_000) return ms;
  throw new InvalidArgumentError('It must be a number with its unit, from 1ms to 60m, such as 500ms or 10s.');
};
