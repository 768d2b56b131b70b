import type { DoubtEntry } from '@holdfast/api';

export type Phase = {
  readonly phase: 'may_land' | 'asking' | 'person' | 'settled';
  /** What is true now, in words; a countdown to `until` follows where there is one. */
  readonly words: string;
  readonly until: number | null;
  /** How far it is on its way from its opening to a person, as it is drawn: 0 to 1. */
  readonly part: number;
  /** Where on that way the moment lies from which on nothing can land any more. */
  readonly settled: number;
};

type Times = Pick<DoubtEntry, 'openedAt' | 'settledAt' | 'settleBy' | 'endedAt' | 'verdict' | 'by' | 'probes'>;

/**
 * The settle window takes seconds and the asking minutes: each has a part of the way of its own, whatever their lengths,
 * or the first would not be seen.
 */
const LANDING = 0.3;
const wayOf = ({ openedAt, settledAt, settleBy }: Times, at: number): number => {
  const part = (from: number, to: number): number => Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from)));
  if (settledAt <= openedAt) return part(openedAt, settleBy);
  return LANDING * part(openedAt, settledAt) + (1 - LANDING) * part(settledAt, settleBy);
};

/** Where a doubt is on its way: something could still land, the tool is asked, a person is asked, it is settled. */
export const phaseOf = (doubt: Times, now: number): Phase => {
  const { openedAt, settledAt, settleBy, endedAt, verdict, by } = doubt;
  const way = { part: wayOf(doubt, endedAt ?? now), settled: settledAt > openedAt ? LANDING : 0 };
  if (endedAt !== null) {
    const whom = by === null ? '' : ` by ${byWords(by)}`;
    return {
      phase: 'settled',
      words: `Settled${verdict === null ? '' : `: ${verdictWords(verdict)}`}${whom}`,
      until: null,
      ...way,
    };
  }
  if (now < settledAt) {
    return { phase: 'may_land', words: 'The call may still take effect, for', until: settledAt, ...way };
  }
  if (now < settleBy) {
    return { phase: 'asking', words: 'Nothing can land any more. A person is asked in', until: settleBy, ...way };
  }
  return { phase: 'person', words: 'It could not be found out: a person is asked', until: null, ...way };
};

const verdicts: Readonly<Record<string, string>> = {
  applied: 'it had happened',
  absent: 'it had not happened',
  rerun: 'it may be called again',
  unknown: 'nobody knows',
  given_up: 'it was given up',
};
export const verdictWords = (verdict: string): string => verdicts[verdict] ?? verdict.replaceAll('_', ' ');

const bys: Readonly<Record<string, string>> = {
  reconciler: 'asking the tool',
  policy: 'the policy of its tool',
  person: 'a person',
  call: 'a call under the same key',
  outcome: 'the word of its worker',
};
export const byWords = (by: string): string => bys[by] ?? by.replaceAll('_', ' ');

const causes: Readonly<Record<string, string>> = {
  session_ended: 'its worker has died',
  session_expired: 'its executor is silent',
  outcome_unknown: 'its worker does not know',
  deadline_passed: 'its time was over without a word',
  claims_unreadable: 'nobody can say who held it',
};
export const causeWords = (cause: string): string => causes[cause] ?? cause.replaceAll('_', ' ');

const holds: Readonly<Record<string, string>> = {
  run: 'the whole run makes no new effects meanwhile',
  step: 'only what depends on the step waits',
  none: 'nothing waits for it',
};
export const holdsWords = (hold: string): string => holds[hold] ?? hold;
