import type { LiveRun } from '@holdfast/events';

/** The key that it has or waits for is free for others. */
export const returnsOf = ({ concurrency, runKey: ticket }: LiveRun) =>
  concurrency === null ? {} : { returns: { key: concurrency.key, ticket } };
