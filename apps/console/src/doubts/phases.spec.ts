import { byWords, causeWords, phaseOf, verdictWords } from './phases.js';

const doubt = {
  openedAt: 1_000,
  settledAt: 2_000,
  settleBy: 11_000,
  endedAt: null,
  verdict: null,
  by: null,
  probes: 0,
};

describe('the way of a doubt', () => {
  it('says that the call may still land, until when', () => {
    expect(phaseOf(doubt, 1_500)).toMatchObject({ phase: 'may_land', until: 2_000, part: 0.15, settled: 0.3 });
  });

  it('says from then on when a person is asked', () => {
    expect(phaseOf(doubt, 2_000)).toMatchObject({ phase: 'asking', until: 11_000 });
  });

  it('says at last that a person is asked', () => {
    expect(phaseOf(doubt, 12_000)).toMatchObject({ phase: 'person', until: null, part: 1 });
  });

  it('ends with what was found, and by whom', () => {
    const settled = { ...doubt, endedAt: 3_000, verdict: 'applied', by: 'reconciler' };
    expect(phaseOf(settled, 99_000)).toMatchObject({
      phase: 'settled',
      words: 'Settled: it had happened by asking the tool',
    });
  });

  it('is drawn in two parts, however short the first one is', () => {
    const parts = [1_000, 2_000, 6_500, 11_000, 99_000].map((at) => phaseOf(doubt, at).part);
    expect(parts).toEqual([0, 0.3, expect.closeTo(0.65), 1, 1]);
    expect(phaseOf({ ...doubt, settledAt: 500 }, 6_000)).toMatchObject({ part: 0.5, settled: 0 });
  });

  it('has words also for what it does not know', () => {
    expect([verdictWords('some_thing'), byWords('some_body'), causeWords('some_cause')]).toEqual([
      'some thing',
      'some body',
      'some cause',
    ]);
  });
});
