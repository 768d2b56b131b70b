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
  return { keeper: new ClaimsKeeper(parts), close: () => memory.close() };
};
const attempt = { attemptId: 'r/a/0', queue: 'default', partition: 0, claimsFrom: 0, startBy: 1_000 };

describe('keeping claims', () => {
  it('judges nothing by a range with a hole in it, and goes on', async () => {
    const { keeper, close } = await open(() => ({ read: () => Promise.reject(new LogDefect('expected 0, got 2')) }));
    const told: FirstClaim[] = [];
    keeper.watch([attempt], (_, first) => told.push(first));
    await eventually('the attempt is told', () => told.length > 0);
    expect(told).toEqual([{ kind: 'unreadable' }]);
    await close();
  });
});
