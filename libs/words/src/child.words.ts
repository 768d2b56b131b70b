import type { RunEventData } from '@holdfast/events';
import { count, tail, time, type WordsFor } from './phrases.js';

export const childWords: WordsFor<
  'ChildStarted' | 'ChildAttached' | 'ChildAccepted' | 'ChildLeft' | 'ChildEnded' | 'ChildrenStopped' | 'ChildRefused'
> = {
  ChildStarted: ({ stepId, childRunId, detached }) =>
    `${stepId} begins run ${childRunId}${detached ? ', which may outlive this one' : ''}.`,
  ChildAttached: ({ stepId, childRunId }) => `${stepId} waits for run ${childRunId}, which is under way already.`,
  ChildAccepted: ({ childRunId }) => `Run ${childRunId} has begun.`,
  ChildLeft: ({ stepId, childRunId }) => `${stepId} waits no longer for run ${childRunId}, which goes on.`,
  ChildEnded: (data) => ended(data),
  ChildrenStopped: ({ reason, deadlineAt, children }) =>
    `${count(children.length, 'run')} that it began ${children.length === 1 ? 'is' : 'are'} told to end by ${time(deadlineAt)}${tail(reason)}.`,
  ChildRefused: ({ runId, parent, message }) => `Run ${runId}, begun by run ${parent.runId}, was refused: ${message}.`,
};

const ended = ({ childRunId, reason, detail, totals }: RunEventData<'ChildEnded'>): string => {
  const doubts = totals === undefined || totals.inDoubt === 0 ? '' : ` ${totals.inDoubt} EFFECTS OF IT ARE IN DOUBT.`;
  return `Run ${childRunId} has ended: ${reason.replaceAll('_', ' ')}${tail(detail)}.${doubts}`;
};
