import { lanePlan, queuePlan, type TopicNames } from '@holdfast/contracts';
import type { Topics } from '@holdfast/log';
import { count } from '@holdfast/words';
import { fail, ok, warn, type Check } from './check.js';

/** Whether all topics of the lanes and of the queues are there, with the partitions and settings that rules rest on. */
export const topicChecks = async (topics: Topics, names: TopicNames, lanes: number): Promise<readonly Check[]> => {
  const plan = lanePlan(names, lanes);
  const wrong = await topics.differences(plan);
  return [
    ...wrong.map((difference) => differs(difference)),
    ...(wrong.length === 0
      ? [ok('topics', `${count(plan.length, 'topic')} of ${count(lanes, 'lane')} as they must be`)]
      : []),
    ...(await queueChecks(topics, names)),
  ];
};

const differs = (difference: string): Check => {
  const [what = difference, ...advice] = difference.split('; ');
  return fail('topics', what, advice.length === 0 ? 'See docs/operations.md.' : `${advice.join('; ')}.`);
};

/** Commands, claims and seats of a queue go together, partition by partition. */
const queueChecks = async (topics: Topics, names: TopicNames): Promise<readonly Check[]> => {
  const commands = await topics.list(names.commandsPrefix);
  if (commands.length === 0)
    return [warn('queues', 'there is no queue yet', 'Start an executor: it creates its queues.')];
  const partitions = await topics.partitions(commands);
  const plans = commands.map((topic) => {
    const queue = topic.slice(names.commandsPrefix.length);
    return { queue, plan: queuePlan(names, queue, partitions.get(topic) ?? 1) };
  });
  const wrong = await topics.differences(plans.flatMap(({ plan }) => plan));
  if (wrong.length > 0) return wrong.map(differs);
  const said = plans.map(({ queue, plan }) => `${queue} (${plan[0]?.partitions ?? 0})`);
  return [ok('queues', `queues with their partitions: ${said.join(', ')}`)];
};
