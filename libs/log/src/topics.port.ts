/** Creates missing topics and checks the ones that are there. */
export type Topics = {
  /**
   * Creates what is missing and compares what is there. Rejects with `TopicMismatch` naming each difference
   * (partition count, cleanup policy, timestamp type, `min.insync.replicas`, retention, unclean election) and what to do.
   */
  ensure(specs: readonly TopicSpec[]): Promise<void>;
  /** The same comparison without creating anything: each difference, with what to do; none where all is as it must be. */
  differences(specs: readonly TopicSpec[]): Promise<readonly string[]>;
  /** Partition count by topic, `null` where the topic does not exist. */
  partitions(topics: readonly string[]): Promise<ReadonlyMap<string, number | null>>;
  /** All topic names with the prefix. */
  list(prefix: string): Promise<readonly string[]>;
};

export type TopicSpec = {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
  /** Retention in ms; -1 keeps for ever. */
  readonly retentionMs: number;
  /** Largest record batch in bytes; broker default where absent. */
  readonly bytesMax?: number;
  /** When the broker begins a new file, in bytes: a compacted topic keeps all of the newest one. Broker default where absent. */
  readonly segmentBytes?: number;
};

export class TopicMismatch extends Error {
  override readonly name = 'TopicMismatch';
}
