import { createMemoryLog, createMemoryTopics, MemoryCluster } from '@holdfast/log';
import { silentLogger, systemTimer } from '@holdfast/sdk';
import { eventually } from '@holdfast/dev';
import { JournalWriter } from './journal-writer.js';

const failed = (step: string, message: string) =>
  ({
    type: 'AttemptFailed',
    data: {
      attemptId: `r/${step}/0`,
      runId: 'r',
      stepId: step,
      attempt: 0,
      session: 'S',
      deadline: 1,
      failure: { code: 'x', message },
      retry: 'never',
      startedAt: 1,
      endedAt: 2,
    },
  }) as const;

describe('writing the journal', () => {
  it('gives up a word that the log will never take, and writes those behind it', async () => {
    const cluster = new MemoryCluster();
    const spec = { name: 'journal', partitions: 1, cleanup: 'delete', retentionMs: -1, bytesMax: 10_000 } as const;
    await createMemoryTopics(cluster).ensure([spec]);
    const log = createMemoryLog(cluster);
    const done: string[] = [];
    const ports = { log, topic: 'journal', timer: systemTimer, logger: silentLogger, now: () => 5 };
    const writer = new JournalWriter(ports, (ids) => done.push(...ids));
    writer.write(0, 'r/a/0', failed('a', 'short'));
    writer.write(0, 'r/b/0', failed('b', 'x'.repeat(20_000)));
    writer.write(0, 'r/c/0', failed('c', 'short'));
    await eventually('all words are dealt with', () => done.length === 3);
    const { end } = await log.bounds('journal', 0);
    expect({ done, end }).toEqual({ done: ['r/a/0', 'r/b/0', 'r/c/0'], end: 2 });
    await log.close();
  });
});
