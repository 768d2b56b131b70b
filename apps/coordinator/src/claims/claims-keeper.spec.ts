import { lanePlan, queuePlan, topicNames } from '@holdfast/contracts';
import { createMemoryLog, createMemoryTopics, LogDefect, MemoryCluster, type Log } from '@holdfast/log';
import { eventually } from '@holdfast/dev';
import { silentLogger, systemClock, systemTimer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import type { FirstClaim } from '../run/env.js';
import { RULES } from '../run/rules.js';
import { ClaimsKeeper } from './claims-keeper.js';

const names = topicNames('t');

/** A keeper on a log with one claims partition that holds three records when it begins. */
const open = async (change: (log: Log) => Partial<Log>) => {
  const cluster = new MemoryCluster();
  await createMemoryTopics(cluster).ensure([...lanePlan(names, 1), ...queuePlan(names, 'default', 1)]);
  const memory = createMemoryLog(cluster);
  for (const key of ['a', 'b', 'c']) await memory.append(names.claims('default'), 0, [{ key, value: null }]);
  const log: Log = {
    append: (...asked) => memory.append(...asked),
    read: (...asked) => memory.read(...asked),
    bounds: (...asked) => memory.bounds(...asked),
    tail: (...asked) => memory.tail(...asked),
    close: () => memory.close(),
    ...change(memory),
  };
  const logger = silentLogger as unknown as ServiceLogger;
  const parts = {
    log,
    names,
    clock: systemClock,
    timer: systemTimer,
    logger,
    owner: 'C',
    rules: RULES,
    follow: () => undefined,
  };
  const keeper = new ClaimsKeeper(parts);
  /** The next record that the keeper writes is in the log, and comes back to it. */
  const closeIsRead = async (): Promise<void> => {
    const topic = names.claims('default');
    await eventually('it is written', () => cluster.partition(topic, 0).bounds().end === 4);
    keeper.batch({ topic, partition: 0, records: cluster.partition(topic, 0).slice(3, 4, Infinity), next: 4, end: 4 });
  };
  return { keeper, closeIsRead, close: () => memory.close() };
};
const attempt = { attemptId: 'r/a/0', queue: 'default', partition: 0, claimsFrom: 0, startBy: 1_000 };

describe('keeping claims', () => {
  it('judges nothing by a range with a hole in it, and goes on', async () => {
    const { keeper, closeIsRead, close } = await open(() => ({
      read: () => Promise.reject(new LogDefect('expected 0, got 2')),
    }));
    const told: [string, FirstClaim][] = [];
    const tell = (id: string, first: FirstClaim) => void told.push([id, first]);
    keeper.watch([attempt], tell);
    await eventually('the attempt is told', () => told.length > 0);
    expect(told).toEqual([[attempt.attemptId, { kind: 'unreadable' }]]);
    const later = { ...attempt, attemptId: 'r/b/0', claimsFrom: 3 };
    keeper.watch([later], tell);
    keeper.close([later]);
    await closeIsRead();
    expect(told.slice(1)).toEqual([[later.attemptId, { kind: 'closed', offset: 3 }]]);
    await close();
  });
});
