import { runEvent, type EffectsReport, type RunEvent } from '@holdfast/events';
import { emptyReport } from '../../../../test/support/run-events.js';
import type { Call } from '../office/calls.js';
import { filingStep } from '../plan.js';
import { compare, recountLines } from '../recount-lines.js';
import { cancelReport, type Evidence } from './cancel-report.js';
import { isUnsettled, newCancelTally, noteCancel, type CancelTally } from './cancel-tally.js';

const documents = ['a', 'b', 'c', 'd'];
const nobody = { attempt: 0, session: 's' };
const filing = (document: string) => ({ stepId: filingStep(documents.indexOf(document)) });
const entry = (document: string) => ({ ...filing(document), attempt: 0, tool: 'file-document@1' });

const requested = runEvent('CancelRequested', {
  requestId: 'r',
  principal: null,
  reason: '',
  deadlineAt: 11_000,
  mode: 'abort',
});
const closed = (document: string): RunEvent =>
  runEvent('AttemptClosed', { ...filing(document), attempt: 0, claimOffset: 1, cause: 'cancel' });
const skipped = (document: string): RunEvent =>
  runEvent('AttemptSkipped', { ...filing(document), ...nobody, reason: 'run_aborted' });
const settledAbsent = (document: string): RunEvent =>
  runEvent('DoubtSettled', {
    ...filing(document),
    attempt: 0,
    doubtSeq: 1,
    verdict: 'absent',
    by: 'reconciler',
    askedAt: 0,
    evidence: { summary: 'looked' },
  });
const scheduled = runEvent('StepScheduled', {
  ...filing('d'),
  attempt: 0,
  tool: 'file-document@1',
  policy: 'verifiable',
  queue: 'default',
  partition: 0,
  scheduledAt: 0,
  startBy: 0,
  timeoutMs: 0,
  key: 'k',
  argsHash: 'h',
  claimsFrom: 0,
  settling: false,
  reservation: {},
});
const reportWith = (changes: Partial<EffectsReport>): EffectsReport => ({ ...emptyReport, ...changes });
const ended = (report: EffectsReport): RunEvent =>
  runEvent('RunEnded', { reason: 'cancelled', detail: '', report, endedAt: 0 });
const amended = (report: EffectsReport): RunEvent =>
  runEvent('ReportAmended', { ...filing('b'), attempt: 0, change: 'applied', report });

/** `a` is filed before the cancel, `b` is under way, `c` and `d` have not begun. */
const tallyOf = (...facts: readonly (readonly [at: number, event: RunEvent])[]): CancelTally => {
  const tally = newCancelTally();
  for (const [seq, [at, event]] of facts.entries()) noteCancel(tally, { event, seq, at });
  return tally;
};
const line = (document: string) => ({ at: 0, document, key: `key of ${document}`, sha256: 'x' });
const call = (document: string, receivedAt: number, changes: Partial<Call> = {}): Call => ({
  document,
  key: `key of ${document}`,
  call: 0,
  attempt: 0,
  fate: 'answers',
  receivedAt,
  appliedAt: receivedAt,
  answeredAt: receivedAt,
  cutAt: null,
  goneAt: null,
  droppedAt: null,
  ...changes,
});
const inDoubt = { inDoubt: [entry('b')], totals: { absent: 0, inDoubt: 1, running: 0, conflicts: 0 } };
const good = [
  [1_000, requested],
  [1_010, closed('c')],
  [1_020, skipped('d')],
  [1_100, ended(reportWith({ applied: 1, ...inDoubt }))],
] as const;
const reportOf = (tally: CancelTally, changes: Partial<Evidence> = {}) =>
  cancelReport(
    { atStep: 900, withinMs: 10_000, frozen: [], tally },
    {
      documents,
      lines: [line('a'), line('b')],
      calls: [call('a', 900), call('b', 1_005)],
      filed: new Set([0]),
      outcome: 'cancelled',
      ...changes,
    },
  );

describe('reporting a cancel', () => {
  it('tells how soon the run was over, and what began meanwhile', () =>
    expect(reportOf(tallyOf(...good))).toMatchObject({
      terminalMs: 100,
      scheduledAfter: 0,
      startedAfterClosed: 0,
      lastEffectStartMs: 5,
      applied: 1,
      absent: 0,
      inDoubt: 1,
      problems: [],
    }));

  it('has no last call where none began', () =>
    expect(reportOf(tallyOf(...good), { calls: [call('a', 900)] }).lastEffectStartMs).toBeNull());

  it('goes by the report as it was last amended, and waits for that', () => {
    const tally = tallyOf(...good);
    expect(isUnsettled(tally)).toBe(true);
    noteCancel(tally, { event: amended(reportWith({ applied: 2 })), seq: 9, at: 7_000 });
    expect(isUnsettled(tally)).toBe(false);
    expect(reportOf(tally, { filed: new Set([0, 1]) })).toMatchObject({ applied: 2, inDoubt: 0, problems: [] });
  });
});

describe('a cancel is broken by', () => {
  const told = (facts: readonly (readonly [number, RunEvent])[], changes: Partial<Evidence> = {}): string =>
    reportOf(tallyOf(...facts), changes).problems.join('; ');

  it('a step that is scheduled after it', () =>
    expect(told([...good.slice(0, 1), [1_005, scheduled], ...good.slice(1)])).toContain('1 steps were scheduled'));

  it('a run that is over too late, or in another way', () => {
    expect(told([...good.slice(0, 3), [11_001, good[3][1]]])).toContain('10001 ms after the cancel, not 10000');
    expect(told(good, { outcome: 'succeeded' })).toContain('it ended as: succeeded');
    expect(told([])).toContain('never became history');
  });

  it.each([
    ['of an attempt that was closed, however early', call('c', 1_001, { appliedAt: null })],
    ['that began after its attempt was said not to be made', call('d', 1_021, { appliedAt: null })],
  ])('a call %s', (_, late) => {
    const calls = [call('a', 900), late];
    expect(reportOf(tallyOf(...good), { calls })).toMatchObject({ startedAfterClosed: 1 });
    expect(told(good, { calls })).toContain('1 calls began although');
  });

  it('no call of another attempt of the same step', () =>
    expect(told(good, { calls: [call('c', 500, { attempt: 1, appliedAt: null })] })).toBe(''));

  it('a filing that its report leaves out', () =>
    expect(told(good, { lines: [line('a'), line('b'), line('c')] })).toContain('c was filed, and the report'));

  it('a filing of an attempt that history takes for absent', () => {
    const facts = [...good.slice(0, 3), [1_030, settledAbsent('b')], good[3]] as const;
    expect(told(facts)).toContain('b was filed by an attempt of which history says that it did not act');
  });

  it('a report that counts otherwise than history, or knows of conflicts', () => {
    expect(told(good, { filed: new Set([0, 1]) })).toContain('counts 1 as applied, and history says so of 2');
    const totals = { absent: 0, inDoubt: 1, running: 0, conflicts: 1 };
    const conflict = ended(reportWith({ applied: 1, ...inDoubt, totals }));
    expect(told([...good.slice(0, 3), [1_100, conflict]])).toContain('1 outcomes contradict');
  });
});

describe('the independent recount of a cancelled run', () => {
  const textOf = (...names: readonly string[]): string => names.map((one) => `${JSON.stringify(line(one))}\n`).join('');
  const report = (changes: object = {}) => ({
    documents: 4,
    effects: 2,
    duplicates: 0,
    lost: 0,
    cancel: { applied: 1, inDoubt: 1 },
    ...changes,
  });

  it('owes what the report calls applied, and allows what it calls doubtful', () => {
    expect(compare(recountLines(textOf('a', 'b')), report())).toStrictEqual({ lost: 0, agrees: true });
    expect(compare(recountLines(textOf('a', 'b')), report({ cancel: { applied: 1, inDoubt: 0 } })).agrees).toBe(false);
    expect(compare(recountLines(textOf()), report({ effects: 0 }))).toStrictEqual({ lost: 1, agrees: false });
  });

  it('owes every document where nothing was cancelled', () =>
    expect(compare(recountLines(textOf('a', 'b')), report({ cancel: null, lost: 2 }))).toStrictEqual({
      lost: 2,
      agrees: true,
    }));
});
