import type { HistoryRecord } from '@holdfast/events';
import type { LedgerEntry } from '@holdfast/model-server';
import { countRun, isRight, reportOf } from './counting.js';
import type { Finished } from './one-run.js';
import type { Filed } from './register.js';

const MODEL = 'agent[0].model';
const FILE = 'agent[0].file_finding-0';

type Told = readonly [type: string, data: object];
const step = (type: string, stepId: string, more: object = {}): Told => [
  type,
  { stepId, attempt: 0, session: 'A', ...more },
];
const run = (...told: readonly Told[]): Finished => ({
  runId: 'r',
  end: { reason: 'succeeded', spent: { tokensIn: 100, tokensOut: 10 } } as never,
  records: [['RunAccepted', { runKey: 'K' }] as Told, ...told].map(([type, data]) => ({
    event: { type, version: 1, data },
  })) as unknown as readonly HistoryRecord[],
});
const filed = (stepId: string, finding = 'f'): Filed => ({
  key: `K/${stepId}`,
  document: 'd',
  finding,
  severity: 'low',
  number: 1,
});
const asked = (stepId: string, more: Partial<NonNullable<LedgerEntry['ended']>> = {}): LedgerEntry =>
  ({
    key: `K/${stepId}`,
    ended: { outcome: 'replied', sent: true, tokensIn: 50, tokensOut: 5, ...more },
  }) as unknown as LedgerEntry;

const plain = [
  step('StepScheduled', MODEL),
  step('StepSucceeded', MODEL),
  step('StepScheduled', FILE),
  step('StepSucceeded', FILE),
];

describe('what a run has done outside', () => {
  it('is right where everything is there once', () => {
    const counted = countRun(run(...plain), [filed(FILE)], [asked(MODEL)], false);
    expect(counted).toMatchObject({ steps: 2, killedAt: null, filed: 1, duplicates: 0, lost: 0, modelCalls: 1 });
    expect(isRight(counted)).toBe(true);
  });

  it('counts a finding that is there twice, under one key or two', () => {
    for (const twice of [FILE, 'agent[1].file_finding-0']) {
      const counted = countRun(run(...plain), [filed(FILE), filed(twice)], [], false);
      expect([counted.duplicates, isRight(counted)]).toEqual([1, false]);
    }
  });

  it('counts a call that is said to have succeeded and is not there', () => {
    const counted = countRun(run(...plain), [], [], false);
    expect([counted.lost, isRight(counted)]).toEqual([1, false]);
  });

  it('forgives an answer that was on its way, and no other', () => {
    const again = [
      step('StepScheduled', MODEL),
      step('StepScheduled', MODEL, { attempt: 1 }),
      step('StepSucceeded', MODEL),
    ];
    const twice = [asked(MODEL), asked(MODEL)];
    expect(countRun(run(...again), [], twice, true)).toMatchObject({
      modelCallsRepeated: 0,
      modelCallsInFlight: 1,
      killedAt: MODEL,
    });
    const counted = countRun(run(...plain), [filed(FILE)], twice, true);
    expect([counted.modelCallsRepeated, isRight(counted)]).toEqual([1, false]);
  });

  it('counts only answers that were handed over, and tokens that the budget does not know', () => {
    const cut = asked(MODEL, { sent: false });
    expect(countRun(run(...plain), [filed(FILE)], [asked(MODEL), cut], false)).toMatchObject({
      modelCalls: 1,
      tokensNotCharged: 0,
    });
    const dear = countRun(run(...plain), [filed(FILE)], [asked(MODEL, { tokensIn: 500 })], false);
    expect([dear.tokensNotCharged, isRight(dear)]).toEqual([395, false]);
  });

  it('knows where the worker was killed, also where nothing was in doubt', () => {
    const pure = [
      step('StepScheduled', 'a'),
      step('StepSucceeded', 'a'),
      step('StepScheduled', 'b'),
      step('StepSucceeded', 'b', { session: 'B' }),
    ];
    expect(countRun(run(...pure), [], [], true).killedAt).toBe('b');
    const doubt = [step('StepScheduled', FILE), step('DoubtOpened', FILE)];
    expect(countRun(run(...doubt), [], [], true).killedAt).toBe(FILE);
  });

  it('adds up', () => {
    const one = countRun(run(...plain), [filed(FILE), filed(FILE)], [asked(MODEL)], true);
    expect(reportOf([one, { ...one, killedAt: null }], 3)).toMatchObject({
      kills: 1,
      duplicates: 2,
      lost: 0,
      rejected: 3,
    });
  });
});
