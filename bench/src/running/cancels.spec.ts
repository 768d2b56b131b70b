import { runEvent, type RunEvent } from '@holdfast/events';
import { accepted, emptyReport } from '../../../test/support/run-events.js';
import { Cancels } from './cancels.js';

const succeeded = (stepId: string): RunEvent =>
  runEvent('StepSucceeded', { stepId, attempt: 0, by: 'outcome', session: 's' });
const closed = (stepId: string): RunEvent =>
  runEvent('AttemptClosed', { stepId, attempt: 0, claimOffset: 1, cause: 'cancel' });
const requested = runEvent('CancelRequested', {
  requestId: 'c',
  principal: null,
  reason: '',
  deadlineAt: 0,
  mode: 'abort',
});
const ended = runEvent('RunEnded', {
  reason: 'cancelled',
  detail: '',
  endedAt: 0,
  report: emptyReport,
});
const effect = (key: string, at: number) => ({ name: key, key, attempt: 0, atMs: at, at });

const cancelsOf = (...facts: readonly (readonly [at: number, event: RunEvent])[]): Cancels => {
  const cancels = new Cancels(1);
  for (const [at, event] of facts) cancels.add({ runId: 'r', event, at });
  return cancels;
};

describe('measuring cancels', () => {
  const cancels = cancelsOf(
    [0, accepted('pure', undefined, { runId: 'r', runKey: 'k' })],
    [900, succeeded('each[0].effect')],
    [950, succeeded('each[1].work')],
    [1_000, requested],
    [1_010, closed('each[2].effect')],
    [1_080, ended],
  );

  it('takes the time from a cancel to the end of its run, and what had been done', () => {
    expect(cancels.terminalMs).toStrictEqual([80]);
    expect([...cancels.applied]).toStrictEqual(['k/each[0].effect']);
  });

  it('takes the time to the last effect that begins, and 0 where none does', () => {
    const before = effect('k/each[0].effect', 899);
    expect(cancels.figures([before])).toMatchObject({ lastStartP99Ms: 0, startedAfterClosed: 0 });
    expect(cancels.figures([before, effect('k/each[1].effect', 1_007)]).lastStartP99Ms).toBeCloseTo(7, 1);
  });

  it('finds an effect of an attempt that was closed, whenever it began', () =>
    expect(cancels.figures([effect('k/each[2].effect', 1_005)])).toMatchObject({ startedAfterClosed: 1 }));

  it('is told when a run has done enough', async () => {
    const asked = new Cancels(2);
    let isDue = false;
    const due = asked.due('r').then(() => (isDue = true));
    for (const event of [accepted('pure', undefined, { runId: 'r', runKey: 'k' }), succeeded('a')])
      asked.add({ runId: 'r', event, at: 0 });
    await Promise.resolve();
    expect(isDue).toBe(false);
    asked.add({ runId: 'r', event: succeeded('b'), at: 0 });
    expect(await due).toBe(true);
  });
});
