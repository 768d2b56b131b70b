import type { ForkPlan } from '@holdfast/events';
import { systemIds, type Forking } from '@holdfast/sdk';
import { count, some } from '@holdfast/words';
import type { Command } from 'commander';
import type { Action } from '../action.js';
import { budgetOf, BUDGET_HELP, budgetOption } from '../budget.js';
import { duration } from '../duration.js';
import { label } from '../input.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';
import { tell } from './requests.js';
import { watch } from './watch.js';

export type ForkArguments = {
  readonly from?: string;
  readonly run?: string;
  readonly repeat?: readonly string[];
  readonly plan?: boolean;
  readonly label?: Readonly<Record<string, string>>;
  readonly deadline?: number;
  readonly budget?: readonly string[];
  readonly tenant?: string;
  readonly watch?: boolean;
};

export const addFork = (program: Command, action: Action, runId: (text: string) => string): void => {
  program
    .command('fork <run>')
    .description('begin a new run that takes over what a run that is over has done, and does the rest')
    .option('--from <step>', 'do that step again with all that waits for it; otherwise only what has not succeeded')
    .option('--run <id>', 'id of the new run', runId)
    .option(
      '--repeat <step>',
      'this effect may be made again, such as file[17].write or file[*].write; may be repeated',
      gathered,
    )
    .option('--plan', 'only show what would be kept and what done again')
    .option('--label <key=value>', 'labels in place of those of the old run; may be repeated', label)
    .option('--deadline <duration>', 'how long the new run may take in all, such as 2h', duration)
    .option(...BUDGET_HELP, budgetOption)
    .option('--tenant <name>', 'whose budget it lives on, in place of that of the old run')
    .option('--watch', 'then watch it until it ends')
    .action(action(fork));
};

const gathered = (step: string, known: readonly string[] = []): readonly string[] => [...known, step];

const fork = async (session: Session, of: string, options: ForkArguments): Promise<ExitCode> => {
  const { from = null, repeat = [] } = options;
  const client = await session.client();
  if (options.plan === true) {
    const planned = await client.planFork(of, { from, repeat });
    show(session, planned);
    return planned.refused === null ? EXIT.ok : EXIT.usage;
  }
  const runId = options.run ?? `${of.slice(0, 150)}~${systemIds.next()}`;
  if (runId === of) throw new Problem(EXIT.usage, 'a fork is a run of its own', 'Give it another id with --run.');
  const forking: Forking = {
    runId,
    repeat,
    principal: session.principal,
    ...(from === null ? {} : { from }),
    ...(options.label === undefined ? {} : { labels: options.label }),
    ...(options.deadline === undefined ? {} : { deadlineMs: options.deadline }),
    ...(options.budget === undefined ? {} : { budget: await budgetOf(options.budget) }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
  };
  tell(session, await client.fork(of, forking), `Run ${runId} takes over what run ${of} has done`);
  if (options.watch === true) return watch(session, runId, { wait: true });
  session.output.say(`Watch it with: holdfast watch ${runId}`);
  return EXIT.ok;
};

const SHOWN_MAX = 50;

const show = ({ output }: Session, planned: ForkPlan): void => {
  const { runId, seq, kept, again, refused, from } = planned;
  output.data({ kind: 'forkPlan', runId, seq, from, kept, again, refused });
  output.say(`Kept: ${count(kept.length, 'step')}${kept.length === 0 ? '' : ` (${some(kept)})`}.`);
  output.say(
    `Done again${from === null ? '' : `, from ${from} on`}: ${count(again.length, 'step')} that were begun before, and all that never were.`,
  );
  if (again.length > 0) {
    const rows = again
      .slice(0, SHOWN_MAX)
      .map(({ stepId, tool, policy, effect, repeat, why }) => [
        stepId,
        tool,
        policy,
        effect.replaceAll('_', ' '),
        repeat === 'ask' ? 'TO BE NAMED' : 'free',
        why,
      ]);
    output.say(columns(['step', 'tool', 'policy', 'effect', 'again', 'why'], rows));
    if (again.length > SHOWN_MAX) output.say(`… and ${again.length - SHOWN_MAX} more`);
  }
  if (refused !== null) output.say(`REFUSED so: ${refused}.`);
};
