import { count, time, tail, type WordsFor } from './phrases.js';

export const laneWords: WordsFor<
  | 'LaneAcquired'
  | 'LaneAdvanced'
  | 'InputsLost'
  | 'CancelRemembered'
  | 'CancelForgotten'
  | 'BulkCancelRequested'
  | 'BulkCancelAdvanced'
  | 'BulkCancelEnded'
> = {
  LaneAcquired: () => 'A coordinator took the lane over.',
  LaneAdvanced: ({ reactedSeq }) => `The lane advanced to seq ${reactedSeq}.`,
  InputsLost: ({ from, to, topic, acceptedBy }) =>
    `Inputs ${from} to ${to} of ${topic} were lost; ${acceptedBy} accepted that.`,
  CancelRemembered: ({ runId, principal, reason, until }) =>
    `${principal ?? 'Somebody'} cancelled run ${runId}, which is not known yet${tail(reason)}. If it comes before ${time(until)}, it is cancelled.`,
  CancelForgotten: ({ runId, cause }) =>
    cause === 'used'
      ? `Run ${runId} came and was cancelled, as was asked before.`
      : `Run ${runId} did not come in time to be cancelled.`,
  BulkCancelRequested: ({ runs, labels, principal, reason, deadlineAt }) =>
    `${principal ?? 'Somebody'} cancelled ${count(runs, 'run')} with ${labelWords(labels)}${tail(reason)}. They are over by ${time(deadlineAt)}.`,
  BulkCancelAdvanced: ({ cancelled }) => `${count(cancelled, 'run')} of them cancelled so far.`,
  BulkCancelEnded: ({ cancelled }) => `All of them are cancelled: ${count(cancelled, 'run')}.`,
};

const labelWords = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
