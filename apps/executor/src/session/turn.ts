import { Defect } from '@holdfast/events';
import type { Output } from './session.messages.js';
import { partitionKey, type Attempt, type ExecutorState, type Partition, type Time } from './session.state.js';

/** One step under way: the state, the clocks, what the shell will be asked to do. */
export type Turn = {
  readonly state: ExecutorState;
  readonly time: Time;
  readonly out: Output[];
  /** Partitions whose appends or position may have to move at the end of the step. */
  readonly touched: Set<Partition>;
};

type Where = { readonly queue: string; readonly partition: number };

/** The partition, made known when it is named for the first time. */
export const partitionOf = ({ state }: Turn, { queue, partition }: Where): Partition => {
  const key = partitionKey(queue, partition);
  const known = state.partitions.get(key);
  if (known !== undefined) return known;
  const made: Partition = {
    queue,
    partition,
    seated: false,
    defect: null,
    commands: { next: 0, pending: new Map(), reported: null },
    range: null,
    followsClaims: false,
    uncovered: new Set(),
    toClaim: [],
    append: null,
  };
  state.partitions.set(key, made);
  return made;
};

export const homeOf = ({ state }: Turn, attempt: Attempt): Partition => {
  const home = state.partitions.get(attempt.partitionKey);
  if (home === undefined) throw new Defect(`attempt ${attempt.order.attemptId} belongs to no partition`);
  return home;
};

export const at = ({ queue, partition }: Partition): Where => ({ queue, partition });
