/** Types that are worth offering before any was seen. */
const usual = [
  'RunAccepted',
  'StepScheduled',
  'StepSucceeded',
  'StepFailed',
  'AttemptHeld',
  'AttemptClosed',
  'DoubtOpened',
  'ProbeRecorded',
  'DoubtSettled',
  'EscalationOpened',
  'EscalationAnswered',
  'CancelRequested',
  'RunEnded',
];

/** Types to choose from: the usual ones, and what this history holds. */
export const eventTypes = (entries: readonly { readonly type: string }[]): readonly string[] =>
  [...new Set([...usual, ...entries.map(({ type }) => type)])].toSorted();
