import { topicNames } from '@holdfast/contracts';
import { isLaneEvent } from '@holdfast/events';
import { createKafkaLog } from '@holdfast/log';
import { createClient, followLanes, sha256, silentLogger, type LaneRecord } from '@holdfast/sdk';
import type { Workload } from '../workloads/workload.js';
import type { Fact } from './facts.js';

/** Submits runs and tells of every fact of every lane. */
export type History = {
  submit(run: Workload['runs'][number]): Promise<void>;
  cancel(runId: string): Promise<void>;
  /** Returns how to stop listening. */
  onFact(listener: (fact: Fact) => void): () => void;
  /** Rejects when a lane's history is not sound; never fulfilled. */
  readonly unsound: Promise<never>;
  close(): Promise<void>;
};

export const openHistory = async (at: {
  readonly brokers: readonly string[];
  readonly namespace: string;
}): Promise<History> => {
  const log = createKafkaLog({ brokers: at.brokers, clientId: 'bench', logger: silentLogger });
  const client = createClient({ log, namespace: at.namespace });
  const listeners = new Set<(fact: Fact) => void>();
  let onDefect!: (error: Error) => void;
  const unsound = new Promise<never>((_, reject) => (onDefect = reject));
  unsound.catch(() => undefined);
  const follower = followLanes({
    paceMs: 50,
    log,
    topic: topicNames(at.namespace).history,
    digest: sha256,
    onRecord: (read) => {
      const fact = factOf(read);
      if (fact !== null) for (const listener of listeners) listener(fact);
    },
    onDefect,
  });
  for (let lane = 0; lane < (await client.lanes()); lane += 1) follower.follow(lane);
  return {
    submit: async (run) => void (await client.submit(run)),
    cancel: async (runId) => void (await client.cancel(runId)),
    onFact: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    unsound,
    close: async () => {
      await follower.close();
      await client.close();
      await log.close();
    },
  };
};

const factOf = ({ folded, record, at }: LaneRecord): Fact | null => {
  const { event, subject } = record;
  if (folded !== 'valid' || subject === null) return null;
  if (isLaneEvent(event)) return null;
  return { runId: subject, event, at };
};
