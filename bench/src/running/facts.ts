import type { EndReason, RunEvent } from '@holdfast/events';

/** One event of some run as history has it. `at`: epoch ms at which the broker recorded it. */
export type Fact = { readonly runId: string; readonly event: RunEvent; readonly at: number };

/** Collects what a measurement needs of the facts of its runs. */
export class Facts {
  readonly stepMs: number[] = [];
  readonly runMs: number[] = [];
  stepsSucceeded = 0;
  lastEndAt = 0;
  /** Runs that ended in another way than they were to, with the way. */
  readonly failures: string[] = [];
  private readonly scheduledAt = new Map<string, number>();
  private readonly acceptedAt = new Map<string, number>();
  private readonly waiting = new Map<string, () => void>();

  constructor(private readonly expected: EndReason) {}

  /** Resolves when the run has ended. */
  ended(runId: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(runId, resolve));
  }

  add({ runId, event, at }: Fact): void {
    if (!this.waiting.has(runId)) return;
    if (event.type === 'RunAccepted') this.acceptedAt.set(runId, at);
    else if (event.type === 'StepScheduled') this.scheduledAt.set(`${runId}/${event.data.stepId}`, at);
    else if (event.type === 'StepSucceeded') this.stepSucceeded(`${runId}/${event.data.stepId}`, at);
    else if (event.type === 'RunEnded') this.runEnded(runId, event.data.reason, at);
  }

  private stepSucceeded(step: string, at: number): void {
    this.stepsSucceeded += 1;
    const scheduledAt = this.scheduledAt.get(step);
    if (scheduledAt !== undefined) this.stepMs.push(at - scheduledAt);
    this.scheduledAt.delete(step);
  }

  private runEnded(runId: string, reason: string, at: number): void {
    const acceptedAt = this.acceptedAt.get(runId);
    if (acceptedAt !== undefined) this.runMs.push(at - acceptedAt);
    if (reason !== this.expected) this.failures.push(`${runId}: ${reason}`);
    this.lastEndAt = Math.max(this.lastEndAt, at);
    this.waiting.get(runId)?.();
    this.waiting.delete(runId);
  }
}
