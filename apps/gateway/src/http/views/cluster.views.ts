import type { DeadLetterView, ExecutorView } from '@holdfast/api';
import type { DeadLetterSummary } from '../../store/read-cluster.js';
import type { ExecutorRow, ResendRow } from '../../store/tables.js';

type Queues = Readonly<
  Record<string, { readonly partitions: readonly number[]; readonly slots: number; readonly free: number }>
>;

/** Heartbeats come into the rows a little later than they were sent. */
const LATE_MS = 5_000;

/** `leaseMs`: for how long a heartbeat counts. */
export const executorView = (row: ExecutorRow, now: number, leaseMs: number): ExecutorView => ({
  executor: row.executor,
  alive: row.lastBeatAt + leaseMs + LATE_MS > now,
  lastBeatAt: row.lastBeatAt,
  sessions: row.sessions as unknown as ExecutorView['sessions'],
  queues: Object.entries(row.queues as unknown as Queues).map(([queue, { partitions, slots, free }]) => ({
    queue,
    partitions: [...partitions],
    slots,
    free,
  })),
  tools: row.tools as unknown as string[],
});

export const deadLetterId = ({ partition, offset }: { readonly partition: number; readonly offset: number }): string =>
  `${partition}/${offset}`;

/** `resends`: of any letters, oldest first. */
export const deadLetterView = (row: DeadLetterSummary, resends: readonly ResendRow[]): DeadLetterView => {
  const own = resends.filter(({ partition, letter }) => partition === row.partition && letter === row.offset);
  return { ...letterView(row), sentAgain: own.length, sentAgainBy: own.at(-1)?.by ?? null };
};

const letterView = (row: DeadLetterSummary): Omit<DeadLetterView, 'sentAgain' | 'sentAgainBy'> => ({
  id: deadLetterId(row),
  topic: row.sourceTopic,
  partition: row.sourcePartition,
  offset: row.sourceOffset,
  key: row.key,
  code: row.code,
  reason: row.reason,
  by: row.by,
  at: row.at,
  bytes: row.bytes,
});

/** Bytes as text where they are text. */
export const valueView = (value: Uint8Array): NonNullable<DeadLetterView['value']> => {
  try {
    return { encoding: 'utf8', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value) };
  } catch {
    return { encoding: 'base64', text: Buffer.from(value).toString('base64') };
  }
};
