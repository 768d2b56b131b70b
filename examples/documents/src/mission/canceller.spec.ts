import { runEvent, type RunEvent } from '@holdfast/events';
import { emptyReport } from '../../../../test/support/run-events.js';
import { Canceller } from './canceller.js';
import type { Freezer } from './freezer.js';
import type { Fact } from './tally.js';

const fact = (event: RunEvent): Fact => ({ event, seq: 0, at: 0 });
const waiting = fact(runEvent('RunWaiting', { waitingFor: 'x', since: 0 }));
const requested = fact(
  runEvent('CancelRequested', { requestId: 'r', principal: null, reason: '', deadlineAt: 0, mode: 'abort' }),
);

const cancellerOf = (freeze: boolean) => {
  const done: string[] = [];
  const freezer = { pids: [7, 8], freeze: () => done.push('frozen') } as unknown as Freezer;
  const canceller = new Canceller({
    planned: { atStep: 10, withinMs: 5_000, freeze },
    // Nobody answers there, so no moment is worse than another.
    fleet: { officeUrl: 'http://127.0.0.1:0', executorFreezer: () => freezer, executorsAnswer: async () => undefined },
    request: async () => (done.push('asked'), { requestId: 'r', runId: 'm', outcome: 'accepted', lane: 0, seq: 0 }),
    say: () => undefined,
    failed: (error) => done.push(error.message),
  });
  return { canceller, done };
};

describe('cancelling the mission', () => {
  it('happens once, when its step has come', () => {
    const { canceller, done } = cancellerOf(false);
    expect(canceller.see(waiting, 9)).toBeNull();
    expect([canceller.cancel, done]).toStrictEqual([null, []]);
    expect(canceller.see(waiting, 10)).toBeNull();
    expect(canceller.see(waiting, 11)).toBeNull();
    expect(done).toStrictEqual(['asked']);
    expect(canceller.cancel).toMatchObject({ atStep: 10, withinMs: 5_000, frozen: [] });
  });

  it('freezes before it asks, so that nobody frozen has heard of it', async () => {
    const { canceller, done } = cancellerOf(true);
    await canceller.see(waiting, 10);
    expect(done).toStrictEqual(['frozen', 'asked']);
    expect(canceller.cancel).toMatchObject({ frozen: [7, 8] });
  });

  it('is history when history says so', () => {
    const { canceller } = cancellerOf(false);
    expect(canceller.see(waiting, 10)).toBeNull();
    expect(canceller.isHistory).toBe(false);
    expect(canceller.see(requested, 11)).toBeNull();
    expect(canceller.isHistory).toBe(true);
  });

  it('comes too late for a run that has ended', () => {
    const { canceller, done } = cancellerOf(false);
    const end = runEvent('RunEnded', { reason: 'failed', detail: '', endedAt: 0, report: emptyReport });
    expect(canceller.see(fact(end), 10)).toBeNull();
    expect([canceller.cancel, done]).toStrictEqual([null, []]);
  });
});
