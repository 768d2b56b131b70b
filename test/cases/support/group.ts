import { eventually } from '@holdfast/dev';
import type { Admin } from 'kafkajs';
import type { World } from '../../e2e/support/world.js';

const groupOf = ({ names }: World) => ({ groupId: names.group('queue.default'), topic: names.commands('default') });

/** How many records of the queue lie behind the positions of its executors. */
export const lagOf = async (admin: Admin, world: World): Promise<number> => {
  const { groupId, topic } = groupOf(world);
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const ends = await admin.fetchTopicOffsets(topic);
  const done = new Map(committed?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  return ends.reduce((sum, { partition, offset }) => sum + Number(offset) - Math.max(0, done.get(partition) ?? 0), 0);
};

/** Takes the positions of the executors away, as soon as the broker takes none of them for alive. */
export const forgetPositions = async (admin: Admin, world: World): Promise<void> => {
  const { groupId, topic } = groupOf(world);
  const isGone = (): Promise<boolean> =>
    admin.deleteGroups([groupId]).then(
      () => true,
      () => false,
    );
  await eventually('the positions are gone', isGone, 60_000);
  const [positions] = await admin.fetchOffsets({ groupId, topics: [topic] });
  expect(positions?.partitions.filter(({ offset }) => offset !== '-1')).toEqual([]);
};
