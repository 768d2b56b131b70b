import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { runIdSchema } from '@holdfast/events';
import { actionWith, type Action, type Global, type Surroundings } from './action.js';
import { questions } from './commands/questions.js';
import { replay } from './commands/reading.js';
import { answer, cancel, submit } from './commands/requests.js';
import { watch } from './commands/watch.js';
import { addAudit } from './commands/audit.js';
import { addChaos } from './commands/chaos-command.js';
import { addLooking } from './commands/looking-command.js';
import { addSteering } from './commands/steering-command.js';
import { addAcls } from './commands/acls.js';
import { addMcp } from './commands/mcp.js';
import { addTopics } from './commands/topics.js';
import { addCompletion } from './commands/completion.js';
import { addDoctor } from './commands/doctor.js';
import { addFork } from './commands/fork.js';
import { addValidate } from './commands/validate.js';
import { addTenant } from './commands/tenant.js';
import { addTools } from './commands/tools-command.js';
import { addTokens } from './commands/tokens.js';
import { BUDGET_HELP, budgetOption } from './budget.js';
import { duration } from './duration.js';
import { EXAMPLES, EXIT_CODES } from './help.js';
import { label } from './input.js';
import { addTogether } from './commands/together.js';
import { Output } from './output.js';
import { asProblem, EXIT, type ExitCode } from './problem.js';

/** Runs one command line (without `node` and the script) and returns the exit code. */
export const runCli = async (args: readonly string[], around: Surroundings): Promise<number> => {
  const done: { exit: ExitCode } = { exit: EXIT.ok };
  const program = createProgram(around, (exit) => (done.exit = exit));
  try {
    await program.parseAsync([...args], { from: 'user' });
    return done.exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const problem = asProblem(error);
    const output = new Output(around, program.opts<Global>().json);
    output.problem(problem);
    return problem.exit;
  }
};

/** All commands, with what they do bound to these surroundings. */
export const createProgram = (around: Surroundings, ended: (exit: ExitCode) => void): Command => {
  const { out, err, env } = around;
  const program = new Command('holdfast')
    .version(version(), '--version', 'print the version')
    .description('Submits, watches, explains, steers and replays durable agent runs, and looks after their cluster.')
    .addOption(new Option('--brokers <host:port,…>', 'Kafka brokers').env('KAFKA_BROKERS'))
    .addOption(new Option('--namespace <name>', 'prefix of all topics').env('HOLDFAST_NAMESPACE').default('holdfast'))
    .addOption(new Option('--gateway <url>', 'a gateway to look through, instead of the log').env('HOLDFAST_GATEWAY'))
    .addOption(
      new Option('--token-file <path>', 'file with the token that the gateway asks for').env('HOLDFAST_TOKEN_FILE'),
    )
    .addOption(new Option('--as <name>', 'who asks, for the history').default(userName(env), 'your user name'))
    .option('--json', 'JSON lines on standard output and nothing else', false)
    .configureOutput({ writeOut: (text) => void out.write(text), writeErr: (text) => void err.write(text) })
    .showHelpAfterError('(holdfast --help shows all commands)')
    .addHelpText('after', `\n${EXAMPLES}\n\n${EXIT_CODES}`)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  const action = actionWith(around, program, ended);
  addRequests(program, action);
  addSteering(program, action);
  addReading(program, action);
  addAudit(program, action);
  addLooking(program, action);
  addTenant(program, action);
  addTokens(program, action);
  addChaos(program, action);
  addDoctor(program, action, version());
  addTopics(program, action);
  addAcls(program, action);
  addFork(program, action, runId);
  addValidate(program, action);
  addTools(program, action);
  addMcp(program, action, version());
  addCompletion(program, action);
  return program;
};

const addRequests = (program: Command, action: Action): void => {
  const submitting = program
    .command('submit <file>')
    .description('submit a program (JSON or YAML; - is standard input) as a run')
    .option('--input <file|json>', 'input of the run')
    .option('--run <id>', 'run id; the same id and content again is the same run', runId)
    .option('--label <key=value>', 'label, may be repeated', label)
    .option('--deadline <duration>', 'how long the run may take in all, such as 2h', duration)
    .option(...BUDGET_HELP, budgetOption)
    .option('--tenant <name>', 'whose budget it lives on besides its own')
    .option('--watch', 'then watch it until it ends');
  addTogether(submitting).action(action(submit));
  program
    .command('cancel')
    .argument('[run]', 'the run, unless --label names many', runId)
    .description('cancel a run: nothing starts any more, running calls are told, the report comes by the deadline')
    .option('--label <key=value>', 'instead of one run, all that have this label; may be repeated', label)
    .option('--within <duration>', 'deadline of the cancel, such as 30s', duration)
    .option('--reason <text>', 'why, for the history')
    .option('--compensate', 'then undo its effects, as far as tools say how')
    .option('--no-compensate', 'leave its effects, whatever was said when it was submitted')
    .addOption(new Option('--mode <mode>', 'tell running calls to stop, or let them end').choices(['abort', 'drain']))
    .option('--watch', 'then watch it until it ends')
    .action(action(cancel));
  program
    .command('answer <run>')
    .description('answer what only a person can decide')
    .option('--question <number>', 'number of the question, as holdfast questions shows it', wholeNumber)
    .addOption(new Option('--escalation <number>', 'the same').argParser(wholeNumber).hideHelp())
    .option('--step <step>', 'or the step that is in doubt')
    .option('--choice <choice>', 'what you decide: one of the choices that are offered')
    .option('--value <file|json>', 'or the answer itself, where a value is asked for')
    .option('--note <text>', 'why, for the history')
    .option('--proof <file|json>', 'by what you show who you are and what you saw; becomes part of the history')
    .option('--result <file|json>', 'what the step returned, with --choice applied')
    .option('--budget <file|json|key=value>', 'what the run may use from now on, with --choice raise', budgetOption)
    .action(action(answer));
};

const addReading = (program: Command, action: Action): void => {
  program
    .command('watch <run>')
    .description('print what happens in a run until it ends')
    .option('--wait', 'wait for a run that is not there yet')
    .option('--settled', 'go on after the end until no effect is in doubt')
    .action(action(watch));
  program
    .command('replay <run>')
    .description('rebuild a run from its lane, verify all hashes, print its history and state')
    .action(action(replay));
  program
    .command('questions [run]')
    .alias('escalations')
    .description(
      'print what people are asked, about one run or all: id, kind, context, choices, until when, how to answer',
    )
    .action(action(questions));
};

const runId = (text: string): string => {
  const checked = runIdSchema.safeParse(text);
  if (checked.success) return checked.data;
  throw new InvalidArgumentError(checked.error.issues.map(({ message }) => message).join('; '));
};

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('give a whole number');
  return Number(text);
};

const version = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

const userName = (env: Surroundings['env']): string => {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id that has no name.
    return env['USER'] ?? 'unknown';
  }
};
