import type { RunEventData } from '@holdfast/events';
import { place, time, type WordsFor } from './phrases.js';

export const doubtWords: WordsFor<'DoubtOpened' | 'ProbeRecorded' | 'DoubtSettled' | 'ConflictFound'> = {
  DoubtOpened: (data) =>
    `${place(data)} is in doubt: ${causeWords[data.cause]}. Nothing can land after ${time(data.settledAt)}${holdWords[data.holds]}.`,
  ProbeRecorded: (data) => `Question ${data.probe} about ${place(data)} brought no answer: ${data.evidence.summary}.`,
  DoubtSettled: (data) =>
    `The doubt about ${place(data)} is settled: ${settledWords[data.verdict]} (${byWords[data.by]}: ${data.evidence.summary}).`,
  ConflictFound: (data) =>
    `CONFLICT at ${place(data)}: ${data.found}, but ${data.actedOn} was acted on. ${data.evidence.summary}`,
};

const causeWords: Readonly<Record<RunEventData<'DoubtOpened'>['cause'], string>> = {
  session_ended: 'its session ended without a word on it',
  session_expired: 'its session is no longer heard of',
  outcome_unknown: 'its own session cannot tell whether it acted',
  deadline_passed: 'its deadline passed without a word',
  claims_unreadable: 'who held it can no longer be read',
};

const holdWords: Readonly<Record<RunEventData<'DoubtOpened'>['holds'], string>> = {
  run: '; the run holds until it is settled',
  step: '; what depends on it holds',
  none: '',
};

const settledWords: Readonly<Record<RunEventData<'DoubtSettled'>['verdict'], string>> = {
  applied: 'the effect was applied',
  absent: 'the effect was not applied',
  rerun: 'it may be run again',
};

const byWords: Readonly<Record<RunEventData<'DoubtSettled'>['by'], string>> = {
  reconciler: 'says the tool',
  outcome: 'says its own session',
  person: 'says a person',
  policy: 'by its replay policy',
  log: 'by the log',
};
