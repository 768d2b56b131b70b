import type { HistoryRecord, RunEventData } from '@holdfast/events';
import { EPOCH } from '../engine/process.js';
import type { Violated } from './invariant.js';
import type { Pace } from './pace.js';

type Cancelled = { readonly deadline: number; readonly since: number };

/** Cancelled, paused and killed runs. Times are virtual ms. */
export class StopChecks {
  private readonly paused = new Map<string, number>();
  private readonly cancelled = new Map<string, Cancelled>();
  private readonly killed = new Map<string, { readonly requestId: string; readonly at: number }>();
  /** The run of each attempt that must be claimed before it begins. */
  private readonly runs = new Map<string, string>();

  constructor(
    private readonly pace: Pace,
    private readonly violated: Violated,
  ) {}

  add({ event, subject }: HistoryRecord): void {
    const runId = subject ?? '';
    const now = this.pace.now();
    switch (event.type) {
      case 'CancelRequested':
      case 'RunSuperseded':
        return void this.cancelled.set(runId, { deadline: event.data.deadlineAt - EPOCH, since: now });
      case 'RunPaused':
        return void this.paused.set(runId, now);
      case 'RunResumed':
        return void this.paused.delete(runId);
      case 'KillRequested':
        return void this.killed.set(runId, { requestId: event.data.requestId, at: now });
      case 'StepScheduled':
        return this.scheduled(runId, event.data);
      case 'RunEnded':
        return this.ended(runId, event.data);
      default:
        return;
    }
  }

  /** What is not claimed soon after a pause is closed instead. */
  claimed(attemptId: string): void {
    const runId = this.runs.get(attemptId) ?? '';
    const since = this.paused.get(runId);
    if (since === undefined || !this.pace.isCalmSince(since)) return;
    const lateMs = this.pace.now() - since;
    if (lateMs > this.pace.slackMs(1))
      this.violated('pausedStartsNothing', `${attemptId} is claimed ${lateMs} ms after the pause of its run`);
  }

  private scheduled(runId: string, { stepId, attempt, policy }: RunEventData<'StepScheduled'>): void {
    if (this.paused.has(runId))
      this.violated('pausedStartsNothing', `${runId}/${stepId}/${attempt} is scheduled in a pause`);
    if (this.killed.has(runId)) this.violated('killedIsOver', `${runId}/${stepId} is scheduled after the kill`);
    if (policy !== 'pure') this.runs.set(`${runId}/${stepId}/${attempt}`, runId);
  }

  private ended(runId: string, { cause }: RunEventData<'RunEnded'>): void {
    const now = this.pace.now();
    this.paused.delete(runId);
    const kill = this.killed.get(runId);
    if (kill !== undefined) {
      // One batch is there at one moment.
      if (cause?.kind !== 'kill' || cause.requestId !== kill.requestId || now !== kill.at)
        this.violated('killedIsOver', `${runId} was killed and ends ${now - kill.at} ms later by ${cause?.kind}`);
      return;
    }
    const cancel = this.cancelled.get(runId);
    if (cancel === undefined || !this.pace.isCalmSince(cancel.since)) return;
    const lateMs = now - Math.max(cancel.deadline, cancel.since);
    if (lateMs > this.pace.skewMs + this.pace.slowMs)
      this.violated('cancelEndsInTime', `${runId} ends ${lateMs} ms after the deadline of its cancel`);
  }
}
