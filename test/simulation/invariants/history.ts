import { hasEffect, idempotencyKey, type HistoryRecord, type ReplayPolicy, type RunEventData } from '@holdfast/events';
import type { Office } from '../world/office.js';
import type { Violated } from './invariant.js';

type Step = {
  readonly policy: ReplayPolicy;
  /** Highest attempt of which history says that it and all before did not act. */
  notActed: number;
  /** Attempts of which history says that they did not act. */
  readonly idle: Set<number>;
  succeeded: boolean;
};
type At = { readonly runId: string; readonly stepId: string; readonly attempt: number };

/** What history says, held against what is so outside. */
export class History {
  readonly runKeys = new Map<string, string>();
  readonly ends = new Map<string, RunEventData<'RunEnded'>>();
  readonly scheduled = new Map<string, RunEventData<'StepScheduled'>>();
  readonly steps = new Map<string, Step>();
  /** Runs of which nothing may be scheduled any more: cancelled or over. */
  private readonly stopped = new Set<string>();
  /** Steps whose doubt holds their run. */
  private readonly held = new Map<string, Set<string>>();

  constructor(
    private readonly office: Office,
    private readonly violated: Violated,
  ) {}

  add({ event, subject, lane }: HistoryRecord, note: (text: string) => void): void {
    if (event.type === 'LaneAdvanced') {
      for (const { requestId, outcome, message = '' } of event.data.replies) {
        note(`reply: ${requestId} ${outcome} ${message}`);
      }
      return;
    }
    const runId = subject ?? '';
    const about = 'stepId' in event.data ? `/${event.data.stepId}` : '';
    const at = ` ${runId}${about}${'attempt' in event.data ? `/${event.data.attempt}` : ''}`;
    note(`${lane.epoch}/${lane.seq} ${event.type}${event.type === 'LaneAcquired' ? ` by ${lane.owner}` : at}`);
    switch (event.type) {
      case 'RunAccepted':
        this.runKeys.set(runId, event.data.runKey);
        return;
      case 'StepScheduled':
        return this.schedules(runId, event.data);
      case 'AttemptClosed':
      case 'AttemptSkipped':
        return this.didNotAct(runId, event.data);
      case 'StepFailed':
        if (event.data.effect === 'none') this.didNotAct(runId, event.data);
        return;
      case 'StepSucceeded':
        return this.succeeded(runId, event.data);
      case 'DoubtOpened':
        if (event.data.holds === 'run') this.heldBy(runId).add(event.data.stepId);
        return;
      case 'DoubtSettled':
        return this.settles(runId, event.data);
      case 'ConflictFound':
        // Tools and people say the truth here, so nothing that was acted on can be contradicted.
        return this.violated('nothingContradicted', `${runId}/${event.data.stepId}: ${event.data.found}`);
      case 'CancelRequested':
      case 'RunSuperseded':
        return void this.stopped.add(runId);
      case 'RunEnded':
        this.stopped.add(runId);
        this.held.delete(runId);
        this.ends.set(runId, event.data);
        return;
      default:
        return;
    }
  }

  /** What history says did not act never acts. */
  acts({ runId, stepId, attempt }: At): void {
    if (this.steps.get(`${runId}/${stepId}`)?.idle.has(attempt)) {
      this.violated('absentNeverActs', `${runId}/${stepId}/${attempt} acts although history says that it did not`);
    }
  }

  applied({ runId, stepId, attempt }: At): void {
    const step = this.steps.get(`${runId}/${stepId}`);
    if (step !== undefined && attempt <= step.notActed) {
      this.violated('absentIsTrue', `the effect of ${runId}/${stepId}/${attempt} lands after it was found absent`);
    }
  }

  private schedules(runId: string, data: RunEventData<'StepScheduled'>): void {
    const { stepId, attempt, policy, settling } = data;
    const key = `${runId}/${stepId}`;
    if (this.scheduled.has(`${key}/${attempt}`)) this.violated('attemptOnce', `${key}/${attempt} is scheduled twice`);
    this.scheduled.set(`${key}/${attempt}`, data);
    if (this.stopped.has(runId))
      this.violated('stoppedSchedulesNothing', `${key}/${attempt} is scheduled in a stopped run`);
    const step = this.steps.get(key) ?? { policy, notActed: -1, idle: new Set(), succeeded: false };
    this.steps.set(key, step);
    if (!hasEffect(policy) || settling) return;
    if (this.count(runId, stepId) > 0)
      this.violated('noRunAgain', `${key}/${attempt} is scheduled, its effect is there`);
    if (step.succeeded) this.violated('noRunAgain', `${key}/${attempt} is scheduled, its step has succeeded`);
    if (this.heldBy(runId).size > 0) this.violated('heldRunWaits', `${key}/${attempt} is scheduled in a hold`);
  }

  private didNotAct(runId: string, { stepId, attempt }: Pick<At, 'stepId' | 'attempt'>): void {
    this.steps.get(`${runId}/${stepId}`)?.idle.add(attempt);
  }

  private succeeded(runId: string, { stepId }: RunEventData<'StepSucceeded'>): void {
    const step = this.steps.get(`${runId}/${stepId}`);
    if (step === undefined) return;
    this.heldBy(runId).delete(stepId);
    step.succeeded = true;
    if (hasEffect(step.policy) && this.count(runId, stepId) === 0) {
      this.violated('noEffectLost', `${runId}/${stepId} is said to have succeeded and its effect is not there`);
    }
  }

  private settles(runId: string, data: RunEventData<'DoubtSettled'>): void {
    const { stepId, attempt, verdict } = data;
    const step = this.steps.get(`${runId}/${stepId}`);
    this.heldBy(runId).delete(stepId);
    if (step === undefined || verdict !== 'absent') return;
    step.notActed = Math.max(step.notActed, attempt);
    if (this.count(runId, stepId) > 0) {
      this.violated('absentIsTrue', `${runId}/${stepId} is found absent and its effect is there`);
    }
  }

  private heldBy(runId: string): Set<string> {
    const known = this.held.get(runId) ?? new Set();
    this.held.set(runId, known);
    return known;
  }

  private count(runId: string, stepId: string): number {
    return this.office.count(idempotencyKey(this.runKeys.get(runId) ?? '', stepId));
  }
}
