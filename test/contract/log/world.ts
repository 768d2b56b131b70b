import type { Log } from '@holdfast/log';

/** What the suite needs of an implementation. */
export type LogUnderTest = {
  /** Another client of the same cluster, as another process would have. */
  open(): Log;
  /** A new topic that nobody else uses; `bytesMax` is the limit of a batch. */
  topic(partitions: number, bytesMax?: number): Promise<string>;
  /** Retention: forgets everything before `offset`. */
  forget(topic: string, partition: number, offset: number): Promise<void>;
  stop(): Promise<void>;
};

/** What the parts of the suite share; there from the first test on. */
export type LogWorld = {
  readonly subject: LogUnderTest;
  readonly log: Log;
  /** A new topic, of one partition unless told. */
  topic(partitions?: number, bytesMax?: number): Promise<string>;
};
