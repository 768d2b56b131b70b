import { attemptId, isLaneEvent, type RunEvent } from '@holdfast/events';
import { liveBefore, type Written } from '../facts/written.js';
import type { LogBindings } from './about.js';

export type Line = {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly about: LogBindings;
  /** Words out of closed lists, numbers and names of tools; nothing that a run is about. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
};
type Said = Pick<Line, 'level' | 'message' | 'fields'>;

/** What a batch that has become history is worth saying; the usual course of runs only where all is to be said. */
export const factLines = (written: Written, lane: number, everything: boolean): readonly Line[] => {
  // A run that begins in this batch is not known from before it.
  const begun = new Map<string, string | undefined>();
  return written.records.flatMap((record) => {
    const { event, subject: runId } = record;
    if (isLaneEvent(event) || runId === null) return [];
    if (event.type === 'RunAccepted') begun.set(runId, event.data.trace?.id);
    const said = sayOf(event);
    if (said === null || (said.level === 'debug' && !everything)) return [];
    const traceId = begun.get(runId) ?? liveBefore(written, runId)?.trace?.id;
    const traced = traceId === undefined ? {} : { traceId };
    return [{ ...said, about: { ...aboutOf(event, runId), lane, ...traced } }];
  });
};

const aboutOf = (event: RunEvent, runId: string): LogBindings => {
  if (!('stepId' in event.data)) return { runId };
  const { stepId } = event.data;
  return { runId, stepId, ...('attempt' in event.data ? { attemptId: attemptId({ ...event.data, runId }) } : {}) };
};

const usual = (message: string, fields: Line['fields'] = {}): Said => ({ level: 'debug', message, fields });

const sayOf = (event: RunEvent): Said | null => {
  switch (event.type) {
    case 'RunAccepted':
      return usual('the run is accepted');
    case 'StepScheduled': {
      const { tool, policy, queue, partition, settling } = event.data;
      return usual('an attempt is scheduled', { tool, policy, queue, partition, settling });
    }
    case 'AttemptClosed':
      return usual('the attempt is closed', { cause: event.data.cause });
    case 'AttemptSkipped':
      return usual('the attempt was skipped', { reason: event.data.reason });
    case 'StepSucceeded':
      return usual('the step has succeeded', { by: event.data.by });
    case 'StepFailed':
      return usual('the attempt has failed', { code: event.data.failure.code, final: event.data.final });
    case 'RunEnded':
      return usual('the run has ended', { reason: event.data.reason });
    default:
      return unusual(event);
  }
};

const unusual = (event: RunEvent): Said | null => {
  switch (event.type) {
    case 'DoubtOpened':
      return {
        level: 'info',
        message: 'the step is in doubt',
        fields: { cause: event.data.cause, holds: event.data.holds },
      };
    case 'DoubtSettled':
      return {
        level: 'info',
        message: 'the doubt is settled',
        fields: { verdict: event.data.verdict, by: event.data.by },
      };
    case 'EscalationOpened':
      return { level: 'info', message: 'a person is asked', fields: { kind: event.data.kind } };
    case 'EscalationExpired':
      return { level: 'warn', message: 'nobody has answered in time', fields: {} };
    case 'ConflictFound':
      return { level: 'warn', message: 'a late word contradicts what was acted on', fields: {} };
    default:
      return null;
  }
};
