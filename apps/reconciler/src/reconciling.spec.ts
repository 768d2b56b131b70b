import { topicNames } from '@holdfast/contracts';
import { createMemoryLog, MemoryCluster } from '@holdfast/log';
import { silentLogger, systemClock, systemIds, systemTimer, toolSet } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import type { ReconcilerConfig } from './reconciler.config.js';
import { Reconciling } from './reconciling.js';

describe('a reconciler that stops', () => {
  it('closes what its tools keep open, once and at the end', async () => {
    let closed = 0;
    const cluster = new MemoryCluster({ now: () => 0 });
    const reconciling = new Reconciling({
      config: { lanes: 1, questions: 1 } as unknown as ReconcilerConfig,
      tools: toolSet([]),
      closeTools: async () => void (closed += 1),
      log: createMemoryLog(cluster, { timer: () => () => undefined }),
      names: topicNames('t'),
      clock: systemClock,
      timer: systemTimer,
      ids: systemIds,
      logger: silentLogger as unknown as ServiceLogger,
      fatal: () => undefined,
    });
    expect(closed).toBe(0);
    await reconciling.stop();
    expect(closed).toBe(1);
  });
});
