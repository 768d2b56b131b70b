import type { Fork, RunEventData } from '@holdfast/events';
import { count, tail, time, type WordsFor } from './phrases.js';
import { describeReport, reasonWords } from './report.words.js';

export const runWords: WordsFor<'RunAccepted' | 'CancelRequested' | 'RunWaiting' | 'RunEnded' | 'ReportAmended'> = {
  RunAccepted: (data) => accepted(data),
  CancelRequested: (data) => cancelRequested(data),
  RunWaiting: ({ waitingFor }) => `The run waits for ${waitingFor}.`,
  RunEnded: ({ reason, detail, report }) =>
    `The run ended: ${reasonWords(reason)}${tail(detail)}. ${describeReport(report)}`,
  ReportAmended: ({ stepId, change }) => `The report was amended for ${stepId}: ${change}.`,
};

const accepted = (data: RunEventData<'RunAccepted'>): string => {
  const { program, principal, deadlineAt, fork } = data;
  const name = program.name === undefined ? 'a plan' : `"${program.name}"`;
  const by = principal === null ? '' : ` from ${principal}`;
  return `The run was accepted${by}: ${name} with ${count(program.steps.length, 'step')} at its top, to end by ${time(deadlineAt)}.${fork === undefined ? '' : takenOver(fork)}`;
};

const takenOver = ({ runId, from, repeat }: Fork): string => {
  const again = from === null ? 'what has not succeeded' : `${from} and what waits for it`;
  const named = repeat.length === 0 ? '' : `; effects of ${repeat.join(', ')} may be made again`;
  return ` It takes over what run ${runId} has done, but for ${again}${named}.`;
};

const cancelRequested = (data: RunEventData<'CancelRequested'>): string => {
  const by = data.principal === null ? '' : ` by ${data.principal}`;
  const how = data.mode === 'drain' ? ', letting running calls end' : '';
  return `A cancel was requested${by}${how}${tail(data.reason)}. It is over by ${time(data.deadlineAt)}.`;
};
