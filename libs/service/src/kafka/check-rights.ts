import { allows, lanePlan, queuePlan, rightsOf, roles, type Role, type TopicNames } from '@holdfast/contracts';
import type { Needs } from '@holdfast/log';
import type { Kafka } from './kafka.js';

/** This process may not do what its work needs. The message names each right and what grants it. */
export class RightsMissing extends Error {
  override readonly name = 'RightsMissing';
  constructor(readonly missing: readonly string[]) {
    super(`the brokers would refuse this service its work:\n${missing.map((one) => `  ${one}`).join('\n')}`);
  }
}

/** Asks the brokers whether the service may do all that its role needs, before it begins. Rejects with `RightsMissing`. */
export const checkRights = async (
  kafka: Kafka,
  names: TopicNames,
  service: string,
  queues: readonly string[],
): Promise<void> => {
  const role = roles.find((one) => one === service);
  if (role === undefined || kafka.missing === undefined) return;
  const missing = (await kafka.missing(needsOf(names, role, queues))).map((one) => one.replace('<role>', role));
  if (missing.length > 0) throw new RightsMissing(missing);
};

/** What a role needs of the topics and groups that there are, one by one. */
export const needsOf = (names: TopicNames, role: Role, queues: readonly string[]): Needs => {
  const plan = [...lanePlan(names, 1), ...queues.flatMap((queue) => queuePlan(names, queue, 1))];
  const rights = rightsOf(names, role);
  const topics = plan.map(({ name: topic }) => ({
    topic,
    operations: (['read', 'write'] as const).filter((operation) => allows(rights, 'topic', topic, operation)),
  }));
  const groups = rights.flatMap(({ resource: { type, name, pattern } }) => {
    if (type !== 'group') return [];
    return pattern === 'literal' ? [name] : queues.map((queue) => `${name}${queue}`);
  });
  return { topics: topics.filter(({ operations }) => operations.length > 0), groups };
};
