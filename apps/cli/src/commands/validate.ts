import { DEFAULTS } from '@holdfast/events';
import { placeInProgram, validatePlan, type Json, type PlanProblem } from '@holdfast/programs';
import { count } from '@holdfast/words';
import type { Command } from 'commander';
import type { Action } from '../action.js';
import { duration } from '../duration.js';
import { jsonOrFile } from '../input.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { listed, planIn, programSource, type Source } from '../source/source.js';

export type ValidateArguments = { readonly input?: string; readonly deadline?: number; readonly offline?: boolean };

export const addValidate = (program: Command, action: Action): void => {
  program
    .command('validate <file>')
    .description('check a plan without submitting it: its form and, where brokers are named, its tools and its input')
    .option('--input <file|json>', 'the input that it is checked with')
    .option('--deadline <duration>', 'how long the run may take in all, such as 2h', duration)
    .option('--offline', 'look at its form alone, whatever brokers are named')
    .action(action(validate));
};

/** What a coordinator would say about a plan, as far as that is known here. */
const validate = async (session: Session, file: string, options: ValidateArguments): Promise<ExitCode> => {
  const { output } = session;
  const source = await programSource(file, 'the plan');
  const plan = planIn(source, 'the plan');
  const input = options.input === undefined ? {} : await jsonOrFile(options.input, 'the input');
  const offline = options.offline === true || session.brokers === '';
  const problems = offline ? [] : await problemsOf(session, source, { input, options });
  for (const problem of problems) output.data({ kind: 'problem', ...problem, place: source.place(problem.at) });
  if (problems.length > 0) {
    throw new Problem(
      EXIT.usage,
      `the plan would be refused:${listed(source, problems)}`,
      'Correct it; see docs/plans.md.',
    );
  }
  const steps = count(plan.steps.length, 'step');
  output.data({ kind: 'validated', file, steps: plan.steps.length, tools: !offline });
  output.say(
    `The plan is sound: ${steps} at its top${offline ? '. Its tools were not looked at' : ', its tools are there'}.`,
  );
  return EXIT.ok;
};

const problemsOf = async (
  { cluster }: Session,
  source: Source,
  { input, options }: { readonly input: Json; readonly options: ValidateArguments },
): Promise<readonly PlanProblem[]> => {
  const { log, names } = await cluster();
  // Loaded when it is asked for: it brings along what services are made of.
  const { readCatalogue } = await import('@holdfast/service');
  const catalogue = await readCatalogue(log, names);
  const tools = new Map(catalogue.all().map((tool) => [`${tool.name}@${tool.version}`, tool]));
  const limits = { runDeadlineMs: options.deadline ?? DEFAULTS.runMs, startByMs: DEFAULTS.startByMs };
  return validatePlan(planIn(source, 'the plan'), input, tools, limits).map((problem) => ({
    ...problem,
    at: placeInProgram(source.value, problem.at),
  }));
};
