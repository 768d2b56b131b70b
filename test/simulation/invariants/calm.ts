import type { RunEvent } from '@holdfast/events';
import type { Violated } from './history.js';

/** Where nothing goes wrong but that answers are lost, every attempt is taken in time. */
export const inCalm = (runId: string, { type, data }: RunEvent, violated: Violated): void => {
  if (type === 'AttemptClosed' && data.cause === 'start_by')
    violated('calmAttemptsAreTaken', `${runId}/${data.stepId} was closed at its startBy`);
};

/** Where nothing happens but that workers die, the next worker runs unfinished `pure` commands at once. */
export const whereOnlyWorkersDie = (runId: string, { type, data }: RunEvent, violated: Violated): void => {
  if (type === 'StepScheduled' && data.policy === 'pure' && data.attempt > 0)
    violated('pureNeedsNoBackstop', `${runId}/${data.stepId} was left until its time was over`);
};
