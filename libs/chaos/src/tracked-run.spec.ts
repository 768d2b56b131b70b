import { runEvent, type RunEvent, type RunEventData } from '@holdfast/events';
import { emptyReport } from '../../../test/support/run-events.js';
import { TrackedRun } from './tracked-run.js';

const scheduled: RunEventData<'StepScheduled'> = {
  stepId: 'pay',
  attempt: 0,
  tool: 'pay@1',
  policy: 'keyed',
  queue: 'default',
  partition: 0,
  scheduledAt: 1,
  startBy: 2,
  timeoutMs: 3,
  key: 'k/pay',
  argsHash: 'h',
  claimsFrom: 0,
  settling: false,
  reservation: {},
};
const report = { ...emptyReport, applied: 1, stepsSucceeded: 1 };

const tracked = (...events: readonly [RunEvent, number][]): TrackedRun => {
  const run = new TrackedRun('run-1', 'keyed', 'carried');
  for (const [index, [event, now]] of events.entries()) run.note({ event, seq: index, now });
  return run;
};
const accepted = { ...runEvent('RunAccepted', {} as RunEventData<'RunAccepted'>) };
const succeeded = runEvent('StepSucceeded', { stepId: 'pay', attempt: 0, by: 'outcome', session: null });
const ended = runEvent('RunEnded', { reason: 'succeeded', detail: '', report, endedAt: 9 });

describe('a run that is followed', () => {
  it('is under way from its acceptance to its end', () => {
    const run = tracked([accepted, 10], [runEvent('StepScheduled', scheduled), 11], [succeeded, 20], [ended, 30]);
    expect([9, 10, 29, 30].map((at) => run.isUnderWay(at))).toEqual([false, true, true, false]);
  });

  it('makes progress when a step succeeds and when it ends, not when something is only said about it', () => {
    const run = tracked([accepted, 10], [runEvent('StepScheduled', scheduled), 11], [succeeded, 20], [ended, 30]);
    expect([10, 20, 30].map((at) => run.progressAfter(at))).toEqual([20, 30, null]);
  });

  it('keeps each step once, however often it is tried', () => {
    const again = runEvent('StepScheduled', { ...scheduled, attempt: 1, settling: true });
    const run = tracked([runEvent('StepScheduled', scheduled), 1], [again, 2], [succeeded, 3]);
    expect([...run.steps.values()]).toMatchObject([{ stepId: 'pay', key: 'k/pay', succeeded: true }]);
    expect(run.scheduled).toBe(2);
  });

  it('keeps the key of an attempt that was not given that of the first', () => {
    const again = runEvent('StepScheduled', { ...scheduled, attempt: 1, key: 'k/other' });
    const run = tracked([runEvent('StepScheduled', scheduled), 1], [again, 2], [again, 3]);
    expect([...run.steps.values()]).toMatchObject([{ key: 'k/pay', otherKeys: ['k/other'] }]);
  });

  it('tells a question to a person', () => {
    const run = tracked();
    const event = runEvent('EscalationOpened', {
      stepId: 'pay',
      attempt: 0,
      kind: 'doubt',
      doubtSeq: 3,
      question: 'did it?',
      choices: ['applied', 'absent'],
      expiresAt: 99,
    });
    expect(run.note({ event, seq: 8, now: 1 })).toEqual({
      seq: 8,
      stepId: 'pay',
      kind: 'doubt',
      choices: ['applied', 'absent'],
    });
  });

  it('is refused only as long as it was not accepted', () => {
    const [late, early] = [tracked([accepted, 1]), tracked()];
    late.refuse('it has ended');
    early.refuse('no such tool');
    expect([late.refused, early.refused]).toEqual([null, 'no such tool']);
  });
});
