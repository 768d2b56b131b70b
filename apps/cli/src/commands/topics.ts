import { lanePlan, queuePlan } from '@holdfast/contracts';
import { systemClock, systemIds } from '@holdfast/sdk';
import { count } from '@holdfast/words';
import type { Command } from 'commander';
import type { Action } from '../action.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';

type Options = { readonly lanes?: string; readonly queues?: string; readonly apply?: boolean };

export const addTopics = (program: Command, action: Action): void => {
  program
    .command('topics')
    .description('compare the topics of the namespace with what services need, or create them')
    .option('--lanes <number>', 'partitions of lane topics; HOLDFAST_LANES unless told')
    .option('--queues <queue:partitions,…>', 'queues; HOLDFAST_QUEUES unless told')
    .option('--apply', 'create what is missing and fix the number of lanes; services then need no right to create')
    .action((options: Options) => action(topics)(undefined, options));
};

const topics = async (session: Session, _: string, { lanes, queues, apply = false }: Options): Promise<ExitCode> => {
  const { namespace, output } = session;
  // Loaded when it is asked for: it needs what services are made of, and the other commands nothing of that.
  const { baseConfigSchema, ConfigError, prepareCluster, readConfig } = await import('@holdfast/service');
  const given = {
    HOLDFAST_LANES: lanes ?? session.env['HOLDFAST_LANES'],
    HOLDFAST_QUEUES: queues ?? session.env['HOLDFAST_QUEUES'],
  };
  const wish = problemsOf(ConfigError, () => readConfig(baseConfigSchema.pick({ lanes: true, queues: true }), given));
  const { log, names, topics: port } = await session.cluster();
  const plan = [
    ...lanePlan(names, wish.lanes),
    ...Object.entries(wish.queues).flatMap(([queue, partitions]) => queuePlan(names, queue, partitions)),
  ];
  if (apply)
    await prepareCluster({ log, topics: port, names, clock: systemClock, ids: systemIds }, { namespace, ...wish });
  const wrong = await port.differences(plan);
  for (const difference of wrong) output.say(difference);
  output.data({ kind: 'topics', topics: plan.length, differences: wrong });
  if (wrong.length === 0) output.say(`${count(plan.length, 'topic')} of ${count(wish.lanes, 'lane')} as they must be.`);
  return wrong.length === 0 ? EXIT.ok : EXIT.notSucceeded;
};

const problemsOf = <T>(kind: new (...args: never[]) => Error, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof kind) throw new Problem(EXIT.usage, error.message, 'See docs/operations.md.');
    throw error;
  }
};
