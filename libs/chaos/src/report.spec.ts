import { NOTHING, type Tally } from './counting.js';
import type { RunOutcome, StrikeOutcome } from './outcome.js';
import { isClean, quantiles, reportOf, type ReportParts } from './report.js';
import type { Strike } from './schedule.js';

const strike = (more: Partial<Strike> = {}): Strike => ({
  id: 0,
  point: 'executor.call.after',
  action: 'kill',
  nth: 1,
  after: 'kill',
  ...more,
});
const run = (program: string, more: Partial<RunOutcome> = {}, tally: Partial<Tally> = {}): RunOutcome => ({
  runId: `${program}-1`,
  program,
  purpose: 'carried',
  end: 'succeeded',
  underWay: true,
  recoveryMs: 100,
  tally: { ...NOTHING, effects: 1, ...tally },
  doubts: 0,
  conflicts: 0,
  ...more,
});
const outcome = (runs: readonly RunOutcome[], more: Partial<StrikeOutcome> = {}): StrikeOutcome => ({
  strike: strike(),
  hitAt: 1,
  runs,
  ...more,
});
const report = (
  outcomes: readonly StrikeOutcome[],
  strikes = outcomes.map((one) => one.strike),
  noted: Partial<ReportParts> = {},
) => reportOf({ outcomes, strikes, programs: ['keyed', 'pure'], strangers: [], defects: [], troubles: [], ...noted });

describe('the report', () => {
  it('has a cell for each failpoint, action and program that was to be struck', () => {
    const strikes = [strike(), strike({ action: 'freeze' }), strike({ point: 'executor.claim.after' })];
    const { cells, neverHit } = report([outcome([run('keyed')])], strikes);
    expect(cells.map(({ point, action, program }) => `${point} ${action} ${program}`)).toEqual([
      'executor.claim.after kill keyed',
      'executor.claim.after kill pure',
      'executor.call.after kill keyed',
      'executor.call.after kill pure',
      'executor.call.after freeze keyed',
      'executor.call.after freeze pure',
    ]);
    expect(neverHit).toHaveLength(5);
    expect(neverHit).not.toContain('executor.call.after kill keyed');
  });

  it('takes a cell as hit only where a run of its program was under way', () => {
    const { neverHit } = report([outcome([run('keyed'), run('pure', { underWay: false, recoveryMs: null })])]);
    expect(neverHit).toEqual(['executor.call.after kill pure']);
  });

  it('counts strikes that hit, by action', () => {
    const missed = outcome([], { hitAt: null });
    const frozen = outcome([run('keyed')], { strike: strike({ action: 'freeze' }) });
    expect(report([outcome([run('keyed')]), missed, frozen])).toMatchObject({
      kills: 1,
      freezes: 1,
      runs: 2,
      effects: 2,
    });
  });

  it('names each run with a duplicate, a loss, a conflict or no end', () => {
    const wrong = [
      run('keyed', {}, { duplicates: 1 }),
      run('keyed', { conflicts: 1 }),
      run('pure', {}, { lost: 1 }),
      run('pure', { end: null }),
    ];
    const found = report([outcome([...wrong, run('keyed')])]);
    expect(found.wrong.map((one) => one.run)).toEqual(wrong);
    expect(found).toMatchObject({ duplicates: 1, lost: 1 });
    expect(found.cells).toMatchObject([
      { program: 'keyed', duplicates: 1, ends: { succeeded: 3 } },
      { program: 'pure', lost: 1, ends: { succeeded: 1, 'not ended': 1 } },
    ]);
  });

  it('measures a strike by the slowest of its runs, by process and action', () => {
    const outcomes = [
      outcome([run('keyed', { recoveryMs: 300 }), run('pure', { recoveryMs: 100 })]),
      outcome([run('keyed', { recoveryMs: 50 }), run('pure', { recoveryMs: 200 })]),
      outcome([run('keyed', { recoveryMs: 900 })], {
        strike: strike({ point: 'coordinator.acquired', action: 'freeze' }),
      }),
    ];
    expect(report(outcomes).recoveryMs).toEqual({
      worker: { kill: { n: 2, p50: 200, p99: 300, max: 300 } },
      coordinator: { freeze: { n: 1, p50: 900, p99: 900, max: 900 } },
    });
  });
});

describe('a clean report', () => {
  const good = outcome([run('keyed')]);

  it('is of something that was struck and counted, and of nothing that went wrong', () =>
    expect(isClean(report([good]))).toBe(true));

  it.each([
    ['a duplicate', report([outcome([run('keyed', {}, { duplicates: 1 })])])],
    ['a loss', report([outcome([run('keyed', {}, { lost: 1 })])])],
    ['a conflict', report([outcome([run('keyed', { conflicts: 1 })])])],
    ['a run without an end', report([outcome([run('keyed', { end: null })])])],
    ['an effect under the key of no step', report([good], [strike()], { strangers: ['k'] })],
    ['a history that is not sound', report([good], [strike()], { defects: ['lane 1'] })],
    ['services that could not go on', report([good], [strike()], { troubles: ['in vain'] })],
    ['no strike at all', report([])],
    ['strikes that met nobody', report([outcome([run('keyed')], { hitAt: null })])],
    ['nothing that was made', report([outcome([run('keyed', {}, { effects: 0 })])])],
    ['effects of which nobody can tell how often', report([outcome([run('keyed', {}, { uncounted: 1 })])])],
  ])('is not one with %s', (_, found) => expect(isClean(found)).toBe(false));
});

describe('quantiles', () => {
  it('are by nearest rank', () =>
    expect(quantiles(Array.from({ length: 200 }, (_, index) => 200 - index))).toEqual({
      n: 200,
      p50: 100,
      p99: 198,
      max: 200,
    }));

  it('of nothing are none', () => expect(quantiles([])).toBeNull());
});
