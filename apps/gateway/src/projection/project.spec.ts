import { array, assert, boolean, property } from 'fast-check';
import { goldens } from '../../../../test/golden/golden.js';
import type { Row } from '../store/row-store.js';
import { projected } from '../../../../test/support/projecting.js';

const encoded = (values: readonly string[]) => values.map((value) => new TextEncoder().encode(value));
const histories = goldens().map(({ name, values }) => ({ name, values: encoded(values) }));

describe('rows of a history', () => {
  it.each(histories)('are the same wherever chunks of $name begin', ({ values }) => {
    const whole = projected(values).store.all();
    expect(projected(values, () => true).store.all()).toEqual(whole);
    assert(
      property(array(boolean(), { minLength: values.length, maxLength: values.length }), (borders) => {
        expect(projected(values, (offset) => borders[offset] ?? false).store.all()).toEqual(whole);
      }),
      { numRuns: 5 },
    );
  });

  it.each(histories)('have one of each valid event of $name, and one run for each that was accepted', ({ values }) => {
    const { store, lane, view } = projected(values);
    const { events, runs } = store.all();
    expect(events).toHaveLength(lane.counts.valid);
    expect(runs).toHaveLength(view.runsTotal);
  });

  it.each(histories)('cost no memory once a run of $name is over', ({ values }) => {
    const { view, lane } = projected(values);
    const over = (runId: string) => lane.runs.get(runId)?.run.status === 'ended' || !lane.runs.has(runId);
    const kept = [view.steps, view.attempts, view.doubts, view.questions].flatMap((rows) => [...rows.values()]);
    expect(kept.filter(({ runId }) => over(runId))).toEqual([]);
    expect([...view.runs.keys()].filter(over)).toEqual([]);
  });

  it.each(histories)('count of $name what its runs say themselves', ({ values }) => {
    const { store, lane } = projected(values);
    for (const row of store.all().runs) {
      const run = lane.runs.get(String(row['runId']))?.run;
      if (run === undefined || run.status === 'ended') continue;
      expect(row).toMatchObject({
        stepsSucceeded: run.report.stepsSucceeded,
        stepsFailed: run.report.stepsFailed,
        effectsApplied: run.report.applied,
        questionsOpen: Object.keys(run.escalations).length,
        doubtsOpen: run.steps.filter(({ doubt }) => doubt !== null).length,
      });
    }
  });
});

describe('rows of steps', () => {
  it.each(histories)('are as many of $name as its runs have counted', ({ values }) => {
    const { runs, steps } = projected(values).store.all();
    for (const { runId, stepsSucceeded, stepsFailed, stepsOpen } of runs) {
      const of = (status: readonly string[]) =>
        steps.filter((row) => row['runId'] === runId && status.includes(String(row['status']))).length;
      expect({ runId, succeeded: of(['succeeded']), failed: of(['failed']) }).toEqual({
        runId,
        succeeded: stepsSucceeded,
        failed: stepsFailed,
      });
      expect(of(['open', 'waiting', 'doubtful'])).toBe(stepsOpen);
    }
  });
});

describe('rows of a history with everything in it', () => {
  const golden = goldens().find(({ name }) => name === '0.1.0/every-event');
  const { store } = projected(encoded(golden?.values ?? []));
  const { runs, steps, attempts, doubts, questions, lanes } = store.all();
  const of = (rows: readonly Row[], runId: string) => rows.filter((row) => row['runId'] === runId);

  it('say what became of each attempt and its effect', () => {
    const write = of(attempts, 'mission').filter((row) => row['stepId'] === 'write');
    expect(write.map(({ status, effect }) => [status, effect])).toEqual([
      ['closed', 'absent'],
      ['skipped', 'absent'],
      ['failed', 'absent'],
      ['succeeded', 'applied'],
    ]);
    expect(of(attempts, 'conflict').map(({ status, effect }) => [status, effect])).toEqual([
      ['absent', 'conflict'],
      ['succeeded', 'applied'],
    ]);
  });

  it('say of a run that has ended what is still in doubt', () => {
    expect(of(runs, 'silent')).toMatchObject([
      { status: 'closing', reason: 'escalation_expired', doubtsOpen: 1, questionsOpen: 1, stepsOpen: 1 },
    ]);
    expect(of(steps, 'silent')).toMatchObject([{ stepId: 'a', status: 'doubtful', endedAt: null }]);
    expect(of(doubts, 'silent')).toMatchObject([{ stepId: 'a', verdict: null, endedAt: null }]);
    expect(of(questions, 'silent')).toMatchObject([{ kind: 'doubt', status: 'expired' }]);
  });

  it('say how doubts and questions of the others ended', () => {
    const ended = [...doubts, ...questions].filter((row) => row['runId'] !== 'silent');
    expect(ended.filter((row) => row['endedAt'] === null)).toEqual([]);
    expect(of(questions, 'asks').map(({ status, choice }) => [status, choice])).toContainEqual(['answered', 'applied']);
  });

  it('say where the lane is', () => {
    expect(lanes).toMatchObject([{ lane: 0, runsTotal: runs.length, runsOpen: 1 }]);
  });
});
