import { commandKind, decode, journalKind, type JournalRecord } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { recordsOf } from '../../e2e/support/topics.js';
import type { World } from '../../e2e/support/world.js';

/** The attempts that were ordered of the queue, each as often as it was, with the partition of its order. */
export const ordersIn = async (world: World, partitions: number) => {
  const topic = world.names.commands('default');
  const read = Array.from({ length: partitions }, async (_, partition) =>
    (await recordsOf(world.log, topic, partition)).flatMap(({ value }) => {
      const decoded = decode(commandKind, value);
      if (!decoded.ok) throw new Error(decoded.problem);
      return decoded.message.data.steps.map((order) => ({ ...order, orderedAt: partition }));
    }),
  );
  return (await Promise.all(read)).flat();
};

/** What executors said about a run with one kind of word. */
export const journalOf = async <T extends JournalRecord['type']>(world: World, runId: string, type: T) => {
  const lane = laneOf(runId, world.options.lanes ?? 4);
  return (await recordsOf(world.log, world.names.journal, lane)).flatMap(({ value }) => {
    const decoded = decode(journalKind, value);
    if (!decoded.ok || decoded.message.type !== type || decoded.message.data.runId !== runId) return [];
    return [decoded.message.data as Extract<JournalRecord, { type: T }>['data']];
  });
};

/** Outcomes that executors wrote about a run, late ones included: `stepId/attempt`. */
export const successesOf = async (world: World, runId: string, lane: number): Promise<readonly string[]> =>
  (await recordsOf(world.log, world.names.journal, lane)).flatMap(({ value }) => {
    const decoded = decode(journalKind, value);
    if (!decoded.ok || decoded.message.type !== 'AttemptSucceeded' || decoded.message.data.runId !== runId) return [];
    return [`${decoded.message.data.stepId}/${decoded.message.data.attempt}`];
  });

/** Which topics tell of a run by its lane, and every record of them that lies elsewhere. */
export const walkLanes = async ({ log, names }: World, lanes: number) => {
  const strays: string[] = [];
  const topicsOf = new Map<string, Set<string>>();
  for (const topic of [names.requests, names.replies, names.history, names.journal, names.verdicts]) {
    for (let lane = 0; lane < lanes; lane += 1) {
      for (const { value, offset } of await recordsOf(log, topic, lane)) {
        const runId = runOf(value);
        if (runId === null) continue;
        topicsOf.set(runId, (topicsOf.get(runId) ?? new Set()).add(topic));
        if (laneOf(runId, lanes) !== lane) strays.push(`${topic}/${lane}/${offset} of ${runId}`);
      }
    }
  }
  return { strays, topicsOf };
};

const runOf = (value: Uint8Array | null): string | null => {
  const json = JSON.parse(Buffer.from(value ?? []).toString('utf8')) as {
    subject?: string;
    data?: { runId?: string };
  };
  return json.data?.runId ?? json.subject ?? null;
};
