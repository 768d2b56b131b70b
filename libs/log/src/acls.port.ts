/** One entry of the brokers' access lists: this principal may do this with this, from anywhere. */
export type Grant = {
  readonly principal: string;
  readonly type: 'topic' | 'group' | 'cluster';
  readonly name: string;
  readonly pattern: 'literal' | 'prefixed';
  readonly operation: string;
};

/** The brokers' access lists. */
export type Acls = {
  /** What is granted to a principal now. Rejects where the brokers keep no lists, or this process may not see them. */
  of(principal: string): Promise<readonly Grant[]>;
  /** Adds entries; those that are there already stay as they are. */
  grant(grants: readonly Grant[]): Promise<void>;
  /** Takes entries away; one that is not there is no error. */
  revoke(grants: readonly Grant[]): Promise<void>;
};
