import type { EffectsReport, HistoryEvent } from '@holdfast/events';

/** An event and what people are told of it. */
export type Sentence = readonly [HistoryEvent, string];

export const step = { stepId: 'file[3].write', attempt: 1 };
export const at = Date.UTC(2026, 0, 2, 3, 4, 5);
export const evidence = { summary: 'looked it up' };
export const report: EffectsReport = {
  applied: 2,
  absent: [],
  inDoubt: [{ stepId: 'a', attempt: 0, tool: 't@1' }],
  running: [],
  conflicts: [],
  totals: { absent: 0, inDoubt: 1, running: 0, conflicts: 0 },
  stepsSucceeded: 3,
  stepsFailed: 1,
};
