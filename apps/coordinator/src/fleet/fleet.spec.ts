import { Fleet } from './fleet.js';

const beat = (executor: string, partitions: number[], state: 'open' | 'draining' = 'open') => ({
  executor,
  sessions: [{ session: `${executor}-1`, state }],
  queues: { default: { partitions, slots: 32, free: 32 } },
  tools: ['t@1'],
  at: 0,
});
const own = { coordinator: 'C', demand: { default: 2 } };

describe('the fleet', () => {
  it('offers the partitions of living executors whose claims have a known end', () => {
    const fleet = new Fleet(3_000);
    fleet.executor(beat('E', [0, 1]), 0);
    const view = fleet.view(100, own, (_, partition) => (partition === 0 ? 7 : null));
    expect(view.queues['default']?.partitions).toEqual([{ partition: 0, claimsEnd: 7, tools: new Set(['t@1']) }]);
    expect(view.queues['default']).toMatchObject({ slots: 32, lanesWanting: 2 });
  });

  it('forgets an executor whose heartbeats are older than the lease', () => {
    const fleet = new Fleet(3_000);
    fleet.executor(beat('E', [0]), 0);
    expect(fleet.view(3_001, own, () => 0).queues).toEqual({});
  });

  it('offers nothing of an executor that only drains, or whose session has ended', () => {
    const fleet = new Fleet(3_000);
    fleet.executor(beat('D', [0], 'draining'), 0);
    fleet.executor(beat('E', [1]), 0);
    fleet.ended('E-1');
    expect(fleet.view(0, own, () => 0).queues).toEqual({});
  });

  it('divides a queue by the lanes of all coordinators that want it', () => {
    const fleet = new Fleet(3_000);
    fleet.executor(beat('E', [0]), 0);
    fleet.coordinator({ coordinator: 'other', lanes: [3], demand: { default: 1 }, at: 0 }, 0);
    fleet.coordinator({ coordinator: 'C', lanes: [1, 2], demand: { default: 9 }, at: 0 }, 0);
    expect(fleet.view(0, own, () => 0).queues['default']?.lanesWanting).toBe(3);
  });
});
