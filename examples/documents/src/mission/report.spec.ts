import { runEvent, type RunEvent } from '@holdfast/events';
import type { Call } from '../office/calls.js';
import { recountLines } from '../recount-lines.js';
import { repeatsAndLosses, reportOf, type Findings } from './report.js';
import { count, newTally, type Tally } from './tally.js';

const line = (document: string, at = 0) => ({ at, document, key: `key of ${document}`, sha256: 'x' });
const call = (changes: Partial<Call>): Call => ({
  document: 'a',
  key: 'k',
  call: 0,
  attempt: 0,
  fate: 'answers',
  receivedAt: 0,
  appliedAt: null,
  answeredAt: null,
  cutAt: null,
  goneAt: null,
  droppedAt: null,
  ...changes,
});
const succeeded = (stepId: string): RunEvent =>
  runEvent('StepSucceeded', { stepId, attempt: 0, by: 'outcome', session: 's' });
const doubtOpened = (stepId: string): RunEvent =>
  runEvent('DoubtOpened', {
    stepId,
    attempt: 0,
    cause: 'session_ended',
    session: 's',
    deadline: 0,
    settledAt: 0,
    settleBy: 0,
    holds: 'run',
    death: true,
  });
const settled = (stepId: string, verdict: 'applied' | 'absent'): RunEvent =>
  runEvent('DoubtSettled', {
    stepId,
    attempt: 0,
    doubtSeq: 0,
    verdict,
    by: 'reconciler',
    askedAt: 0,
    evidence: { summary: 'looked' },
  });
const tallyOf = (...facts: readonly (readonly [at: number, event: RunEvent])[]): Tally => {
  const tally = newTally();
  for (const [seq, [at, event]] of facts.entries()) count(tally, { event, seq, at });
  return tally;
};
const allOf = (...filed: readonly number[]) => ({ filed: new Set(filed), all: true });
const findings = (changes: Partial<Findings>): Findings => ({
  tally: newTally(),
  documents: ['a', 'b'],
  lines: [line('a'), line('b')],
  calls: [],
  kills: [],
  cancel: null,
  submittedAt: 0,
  runId: 'mission',
  ledger: 'ledger.jsonl',
  seed: 1,
  options: {},
  ...changes,
});

describe('counting repeats and losses', () => {
  it('finds neither where every document was filed once', () =>
    expect(repeatsAndLosses(['a', 'b'], [line('a'), line('b')], allOf(0, 1))).toStrictEqual({
      duplicates: 0,
      lost: 0,
    }));

  it('counts every filing after the first', () =>
    expect(
      repeatsAndLosses(
        ['a', 'b'],
        ['a', 'b', 'a', 'a'].map((name) => line(name)),
        allOf(0, 1),
      ),
    ).toMatchObject({
      duplicates: 2,
    }));

  it('counts as lost what history calls done and the ledger does not have, and what was never done', () =>
    expect(repeatsAndLosses(['a', 'b', 'c'], [line('c')], allOf(0, 2))).toMatchObject({ lost: 2 }));

  it('counts as lost of a cancelled run only what history calls done', () =>
    expect(repeatsAndLosses(['a', 'b', 'c'], [line('c')], { filed: new Set([0, 2]), all: false })).toMatchObject({
      lost: 1,
    }));

  it('comes to the same numbers as the independent recount', () => {
    const lines = ['a', 'b', 'a'].map((name) => line(name));
    const text = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
    const { duplicates } = repeatsAndLosses(['a', 'b'], lines, allOf(0, 1));
    expect(recountLines(text)).toStrictEqual({ lines: 3, documents: 2, duplicates, repeated: [['a', 2]] });
  });
});

describe('reporting a kill', () => {
  const tally = tallyOf(
    [900, succeeded('document[0].file')],
    [1_300, doubtOpened('document[1].file')],
    [2_500, settled('document[1].file', 'absent')],
    [3_000, succeeded('document[1].file')],
  );
  const calls = [
    call({ receivedAt: 500, appliedAt: 510, answeredAt: 520 }),
    call({ receivedAt: 990, appliedAt: 995, goneAt: 1_001 }),
    call({ receivedAt: 998, goneAt: 1_001 }),
    call({ receivedAt: 1_200, appliedAt: 1_210, answeredAt: 1_220 }),
    call({ receivedAt: 2_600, appliedAt: 2_610, answeredAt: 2_620 }),
  ];
  const kill = { victim: 'worker', service: 'executor-1', pids: [1], atStep: 613, at: 1_000 } as const;
  const report = reportOf(findings({ tally, calls, kills: [kill], lines: [line('a', 510), line('b', 995)] }));

  it('tells what was in flight, and what of it had been applied', () =>
    expect(report).toMatchObject({
      killedAtStep: 613,
      effectsBeforeKill: 2,
      inFlightAtKill: 2,
      appliedUnansweredAtKill: 1,
    }));

  it('tells how soon effects began again, before the hold and after it', () =>
    expect(report).toMatchObject({ recoveryMs: 200, effectsBeforeHold: 1, resumedMs: 1_600 }));

  it('tells how the doubts ended', () =>
    expect(report.doubts).toStrictEqual({ applied: 0, absent: 1, unknown: 0, rerun: 0 }));

  it('has no numbers of a kill where nothing was killed', () =>
    expect(reportOf(findings({}))).toMatchObject({ killedAtStep: null, recoveryMs: null, kills: [] }));
});
