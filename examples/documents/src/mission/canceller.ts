import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@holdfast/sdk';
import type { Cancel } from './cancel-report.js';
import { isUnsettled, newCancelTally, noteCancel } from './cancel-tally.js';
import type { Fleet } from './fleet.js';
import type { Freezer } from './freezer.js';
import { worstMoment } from './office-client.js';
import { tellCancel, tellFreeze, tellWake } from './story.js';
import type { Fact } from './tally.js';

export type PlannedCancel = { readonly atStep: number; readonly withinMs: number; readonly freeze: boolean };

export type CancellerOptions = {
  readonly planned: PlannedCancel;
  readonly fleet: Pick<Fleet, 'officeUrl' | 'executorFreezer' | 'executorsAnswer'>;
  readonly request: () => Promise<Answer>;
  readonly say: (line: string) => void;
  /** Hears that the cancel could not be asked for. */
  readonly failed: (error: Error) => void;
};

/** The run goes on meanwhile: its step is worth more than the moment. */
const MOMENTS_MAX = 3;
/** How long the frozen sleep on after the end of their run. */
const SLEEP_ON_MS = 3_000;
/** A worker that is not let back to its work is replaced by its parent within this time. */
const ANSWER_MS_MAX = 30_000;
/** How long the woken are watched once they answer: time for everything that they had in hand. */
const WATCH_MS = 3_000;
/** Longer than any doubt of a filing needs; what a person would have to settle is not waited for. */
const SETTLE_MS_MAX = 30_000;
const LOOK_EVERY_MS = 50;

/** Cancels the run when a step has been seen in history, and follows what becomes of it. */
export class Canceller {
  private readonly tally = newCancelTally();
  private atStep: number | null = null;
  private freezer: Freezer | null = null;

  constructor(private readonly options: CancellerOptions) {}

  /** What was done and what history says of it; null while the step has not come. */
  get cancel(): Cancel | null {
    if (this.atStep === null) return null;
    const { withinMs } = this.options.planned;
    return { atStep: this.atStep, withinMs, frozen: this.freezer?.pids ?? [], tally: this.tally };
  }

  /** Whether the cancel is history. */
  get isHistory(): boolean {
    return this.tally.requestedAt !== null;
  }

  /**
   * To be called with every fact, and with the number of steps that have succeeded by then. Executors are frozen at the
   * worst moment: until that has come, as the returned promise says, nothing more of the history must be looked at.
   */
  see(fact: Fact, stepsSucceeded: number): Promise<void> | null {
    noteCancel(this.tally, fact);
    const { planned } = this.options;
    if (this.atStep !== null || this.tally.endedAt !== null || stepsSucceeded < planned.atStep) return null;
    this.atStep = stepsSucceeded;
    if (planned.freeze) return this.freeze(stepsSucceeded);
    this.begin(stepsSucceeded);
    return null;
  }

  /** After the end of the run: wakes whoever is frozen, and waits until the report is not going to change any more. */
  async settled(): Promise<void> {
    const { fleet, say } = this.options;
    if (this.freezer !== null) {
      await sleep(SLEEP_ON_MS);
      this.freezer.wake();
      say(tellWake(this.freezer.pids, isUnsettled(this.tally)));
      await Promise.race([fleet.executorsAnswer(), sleep(ANSWER_MS_MAX, undefined, { ref: false })]);
      await sleep(WATCH_MS);
    }
    const until = performance.now() + SETTLE_MS_MAX;
    while (isUnsettled(this.tally) && performance.now() < until) await sleep(LOOK_EVERY_MS);
  }

  private async ask(): Promise<void> {
    const { outcome, message } = await this.options.request();
    if (outcome !== 'accepted') this.options.say(`The cancel changed nothing: ${message ?? outcome}.`);
  }

  private async freeze(stepsSucceeded: number): Promise<void> {
    const { fleet, say } = this.options;
    this.freezer = fleet.executorFreezer();
    // An office that does not answer is no reason to spare anyone.
    await worstMoment(fleet.officeUrl, MOMENTS_MAX).catch(() => undefined);
    // Before the cancel: those who are told of it before they stand still would give what they hold back in order.
    this.freezer.freeze();
    say(tellFreeze(this.freezer.pids));
    this.begin(stepsSucceeded);
  }

  private begin(stepsSucceeded: number): void {
    const { planned, say, failed } = this.options;
    void this.ask().catch((error: unknown) => failed(error as Error));
    say(tellCancel(stepsSucceeded, planned.withinMs));
  }
}
