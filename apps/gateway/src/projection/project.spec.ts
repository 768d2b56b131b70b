import { array, assert, boolean, property } from 'fast-check';
import { goldens } from '../../../../test/golden/golden.js';
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
