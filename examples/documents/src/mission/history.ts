import { topicNames } from '@holdfast/contracts';
import { isLaneEvent, laneOf } from '@holdfast/events';
import { createKafkaLog } from '@holdfast/log';
import type { Json, Plan } from '@holdfast/programs';
import { createClient, followLane, sha256, silentLogger, type Answer, type LaneRecord } from '@holdfast/sdk';
import { Facts, type See } from './facts.js';
import type { Fact } from './tally.js';

export type RunOrder = { readonly runId: string; readonly program: Plan; readonly input: Json };

/** The run as its history tells it. */
export type History = {
  /**
   * Submits a run and hands over each fact of it in order, as soon as it is read; resolves when the run has ended and
   * what `afterwards` waits for has come, also from what is read after the end.
   * Where `see` returns a promise, the next fact is handed over once that is fulfilled.
   */
  run(order: RunOrder, see: See, afterwards: () => Promise<void>): Promise<void>;
  /** Asks for the cancel of a run, to be over within a time. Resolves to what was answered. */
  cancel(runId: string, withinMs: number): Promise<Answer>;
  close(): Promise<void>;
};

const ANSWER_MS = 60_000;

export const openHistory = (at: { readonly brokers: readonly string[]; readonly namespace: string }): History => {
  const log = createKafkaLog({ brokers: at.brokers, clientId: 'documents-mission', logger: silentLogger });
  const client = createClient({ log, namespace: at.namespace });

  const cancel = (runId: string, withinMs: number): Promise<Answer> =>
    client.cancel(runId, { withinMs, reason: 'the mission is called off', answerWithinMs: ANSWER_MS });

  const run: History['run'] = async ({ runId, program, input }, see, afterwards) => {
    const lane = laneOf(runId, await client.lanes());
    const topic = topicNames(at.namespace).history;
    const facts = new Facts(see);
    const onRecord = (read: LaneRecord): void => {
      const fact = factOf(read, runId);
      if (fact !== null) facts.add(fact);
    };
    const following = followLane({
      log,
      topic,
      lane,
      digest: sha256,
      onRecord,
      onDefect: (error) => facts.fail(error),
    });
    try {
      await Promise.all([client.submit({ runId, program, input, answerWithinMs: ANSWER_MS }), facts.ended]);
      await Promise.race([afterwards(), facts.failed]);
    } finally {
      await following.close();
    }
  };

  const close = async (): Promise<void> => {
    await client.close();
    await log.close();
  };
  return { run, cancel, close };
};

const factOf = ({ folded, record, at }: LaneRecord, runId: string): Fact | null => {
  const { event, subject, lane } = record;
  if (folded !== 'valid' || subject !== runId) return null;
  if (isLaneEvent(event)) return null;
  return { event, seq: lane.seq, at };
};
