import { topicNames } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { createKafkaLog } from '@holdfast/log';
import type { Json, Plan } from '@holdfast/programs';
import { createClient, followLane, sha256, silentLogger, type LaneRecord } from '@holdfast/sdk';
import type { Fact } from './tally.js';

export type RunOrder = { readonly runId: string; readonly program: Plan; readonly input: Json };

/** The run as its history tells it. */
export type History = {
  /** Submits a run and hands over each fact of it in order, as soon as it is read; resolves when the run has ended. */
  run(order: RunOrder, see: (fact: Fact) => void): Promise<void>;
  close(): Promise<void>;
};

const ANSWER_MS = 60_000;

export const openHistory = (at: { readonly brokers: readonly string[]; readonly namespace: string }): History => {
  const log = createKafkaLog({ brokers: at.brokers, clientId: 'documents-mission', logger: silentLogger });
  const client = createClient({ log, namespace: at.namespace });

  const run = async ({ runId, program, input }: RunOrder, see: (fact: Fact) => void): Promise<void> => {
    const lane = laneOf(runId, await client.lanes());
    const topic = topicNames(at.namespace).history;
    let ended!: () => void;
    let unsound!: (error: Error) => void;
    const end = new Promise<void>((resolve, reject) => {
      ended = resolve;
      unsound = reject;
    });
    // Handed over in the very call that reads it: a kill at a step must not wait for anything.
    const onRecord = (read: LaneRecord): void => {
      const fact = factOf(read, runId);
      if (fact === null) return;
      see(fact);
      if (fact.event.type === 'RunEnded') ended();
    };
    const following = followLane({ log, topic, lane, digest: sha256, onRecord, onDefect: unsound });
    try {
      await Promise.all([client.submit({ runId, program, input, answerWithinMs: ANSWER_MS }), end]);
    } finally {
      await following.close();
    }
  };

  const close = async (): Promise<void> => {
    await client.close();
    await log.close();
  };
  return { run, close };
};

const factOf = ({ folded, record, at }: LaneRecord, runId: string): Fact | null => {
  const { event, subject, lane } = record;
  if (folded !== 'valid' || subject !== runId) return null;
  if (event.type === 'LaneAcquired' || event.type === 'LaneAdvanced' || event.type === 'InputsLost') return null;
  return { event, seq: lane.seq, at };
};
