import type { RunEventData } from '@holdfast/events';
import { place, time, type WordsFor } from './phrases.js';

export const stepWords: WordsFor<
  | 'StepScheduled'
  | 'AttemptHeld'
  | 'AttemptClosed'
  | 'AttemptSkipped'
  | 'StepSucceeded'
  | 'StepFailed'
  | 'BackoffStarted'
> = {
  StepScheduled: (data) => scheduled(data),
  AttemptHeld: (data) => `${place(data)} is held by session ${data.session} until ${time(data.deadline)}.`,
  AttemptClosed: (data) =>
    `${place(data)} was closed before anybody began it (${closeWords[data.cause]}): it never acts.`,
  AttemptSkipped: (data) => `${place(data)} was skipped by its session: ${data.reason}.`,
  StepSucceeded: (data) => succeeded(data),
  StepFailed: (data) => failed(data),
  BackoffStarted: ({ stepId, dueAt, cause }) => `${stepId} waits until ${time(dueAt)} (${backoffWords[cause]}).`,
};

const scheduled = (data: RunEventData<'StepScheduled'>): string => {
  const why = data.settling ? ' again with the same key, to settle the doubt' : '';
  const leave = data.approvalSeq === undefined ? '' : ` under approval ${data.approvalSeq}`;
  return `${place(data)} was scheduled${why}${leave}: ${data.tool} (${data.policy}) on ${data.queue}[${data.partition}].`;
};

const succeeded = (data: RunEventData<'StepSucceeded'>): string => {
  const { omitted } = data;
  const how = {
    outcome: '',
    verdict: ', as the tool confirmed',
    person: ', as a person said',
    silence: ': nobody answered, and that has a meaning',
  }[data.by];
  const size = omitted === undefined ? '' : ` Its result of ${omitted.bytes} bytes was too large to be kept.`;
  return `${place(data)} succeeded${how}.${size}`;
};

const failed = (data: RunEventData<'StepFailed'>): string => {
  const { failure, final, effect } = data;
  const acted = effect === 'none' ? 'it did not act' : 'whether it acted is unknown';
  return `${place(data)} failed${final ? ' for good' : ''}: ${failure.message} (${failure.code}; ${acted}).`;
};

const closeWords: Readonly<Record<RunEventData<'AttemptClosed'>['cause'], string>> = {
  start_by: 'it was not begun in time',
  cancel: 'the run was cancelled',
  hold: 'the run is held until a doubt is settled',
  refused: 'its executor refused it',
  window_over: 'its key is no longer remembered',
  pause: 'the run is paused',
  budget: 'the run is stopped',
};

const backoffWords: Readonly<Record<RunEventData<'BackoffStarted'>['cause'], string>> = {
  failed: 'after a failure',
  refused: 'its executor refused it',
  skipped: 'its executor skipped it',
};
