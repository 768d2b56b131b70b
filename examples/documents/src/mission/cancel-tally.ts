import type { EffectsReport, RunEvent } from '@holdfast/events';
import { isFiling } from '../plan.js';
import type { Fact } from './tally.js';

/** What history says of a cancel, and of every filing that must not happen. Attempts are named `step/attempt`. */
export type CancelTally = {
  /** Since when the request is history, epoch ms. */
  requestedAt: number | null;
  /** Steps that were scheduled although the cancel was history. */
  scheduledAfter: number;
  endedAt: number | null;
  /** Nobody may ever make these: their first claim closes them. */
  readonly closed: Set<string>;
  /** Of these it was found that they have not acted, with the moment at which that was history. */
  readonly absent: Map<string, number>;
  /** As it was last amended. */
  report: EffectsReport | null;
};

export const newCancelTally = (): CancelTally => ({
  requestedAt: null,
  scheduledAfter: 0,
  endedAt: null,
  closed: new Set(),
  absent: new Map(),
  report: null,
});

export const attemptName = (stepId: string, attempt: number): string => `${stepId}/${attempt}`;

/** Notes what one more fact says. */
export const noteCancel = (tally: CancelTally, { event, at }: Fact): void => {
  switch (event.type) {
    case 'CancelRequested':
      tally.requestedAt = at;
      break;
    case 'StepScheduled':
      if (tally.requestedAt !== null) tally.scheduledAfter += 1;
      break;
    case 'RunEnded':
      tally.endedAt = at;
      tally.report = event.data.report;
      break;
    case 'ReportAmended':
      tally.report = event.data.report;
      break;
    default:
      noteAttempt(tally, event, at);
  }
};

const noteAttempt = ({ closed, absent }: CancelTally, event: RunEvent, at: number): void => {
  switch (event.type) {
    case 'AttemptClosed':
      if (isFiling(event.data.stepId)) closed.add(nameOf(event.data));
      break;
    case 'AttemptSkipped':
      if (isFiling(event.data.stepId)) absent.set(nameOf(event.data), at);
      break;
    case 'StepFailed':
      if (isFiling(event.data.stepId) && event.data.effect === 'none') absent.set(nameOf(event.data), at);
      break;
    case 'DoubtSettled':
      if (event.data.verdict === 'absent') absent.set(nameOf(event.data), at);
      break;
    default:
      break;
  }
};

const nameOf = ({ stepId, attempt }: { readonly stepId: string; readonly attempt: number }): string =>
  attemptName(stepId, attempt);

/** Whether the report is still going to be amended. */
export const isUnsettled = ({ report }: CancelTally): boolean =>
  report === null || report.totals.inDoubt + report.totals.running > 0;
