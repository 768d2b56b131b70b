import { MemoryCluster } from './cluster.js';
import { createMemoryLog } from './log.js';

describe('the log in memory, its pace set from outside', () => {
  it('takes its time to tell that nobody answers', async () => {
    const cluster = new MemoryCluster();
    cluster.create({ name: 'topic', partitions: 1 });
    const stages: string[] = [];
    const log = createMemoryLog(cluster, {
      pace: (stage) => {
        stages.push(stage);
        return Promise.resolve();
      },
    });
    log.faults.unavailable = true;
    const answer = await log.append('topic', 0, [{ key: null, value: new Uint8Array([1]) }]);
    expect({ answer, stages }).toEqual({
      answer: { outcome: 'unknown', detail: 'nobody answers' },
      stages: ['answer'],
    });
  });
});
