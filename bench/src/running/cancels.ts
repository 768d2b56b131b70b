import { idempotencyKey } from '@holdfast/events';
import type { Effect } from '../effects/effect-server.js';
import { percentiles } from '../measures.js';
import type { Fact } from './facts.js';

/** What became of the cancels of a measurement. */
export type CancelFigures = {
  /** 99 of 100 times the last effect began at most so long after its cancel was history; 0 where none began. */
  readonly lastStartP99Ms: number;
  /** Effects of attempts that were closed before anybody had claimed them. */
  readonly startedAfterClosed: number;
  /** Steps that were scheduled although the cancel was history. */
  readonly scheduledAfter: number;
};

type Cancelled = {
  readonly runKey: string;
  steps: number;
  cancelledAt: number | null;
};

const EFFECT = /\.effect$/;

/** Collects what history says about the cancels of runs. Times are the broker's, epoch ms. */
export class Cancels {
  /** From a cancel to the end of its run. */
  readonly terminalMs: number[] = [];
  /** Keys of the effects that history calls done. */
  readonly applied = new Set<string>();
  private scheduledAfter = 0;
  /** Attempts that nobody may ever make: `key/attempt`. */
  private readonly closed = new Set<string>();
  private readonly runs = new Map<string, Cancelled>();
  private readonly waiting = new Map<string, () => void>();

  constructor(private readonly after: number) {}

  /** Resolves when enough steps of the run have succeeded. To be asked for before the run is submitted. */
  due(runId: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(runId, resolve));
  }

  add({ runId, event, at }: Fact): void {
    if (event.type === 'RunAccepted') {
      this.runs.set(runId, { runKey: event.data.runKey, steps: 0, cancelledAt: null });
      return;
    }
    const run = this.runs.get(runId);
    if (run === undefined) return;
    if (event.type === 'CancelRequested') run.cancelledAt = at;
    else if (event.type === 'StepScheduled') this.scheduledAfter += run.cancelledAt === null ? 0 : 1;
    else if (event.type === 'StepSucceeded') this.succeeded(runId, run, event.data.stepId);
    else if (event.type === 'AttemptClosed') this.closed.add(callOf(keyOf(run, event.data.stepId), event.data.attempt));
    else if (event.type === 'RunEnded' && run.cancelledAt !== null) this.terminalMs.push(at - run.cancelledAt);
  }

  figures(effects: readonly Effect[]): CancelFigures {
    return {
      lastStartP99Ms: percentiles(this.lastStarts(effects)).p99Ms,
      startedAfterClosed: effects.filter(({ key, attempt }) => this.closed.has(callOf(key, attempt))).length,
      scheduledAfter: this.scheduledAfter,
    };
  }

  private succeeded(runId: string, run: Cancelled, stepId: string): void {
    run.steps += 1;
    if (EFFECT.test(stepId)) this.applied.add(keyOf(run, stepId));
    if (run.steps < this.after) return;
    this.waiting.get(runId)?.();
    this.waiting.delete(runId);
  }

  /** For each cancel how long after it the last effect of its run began, ms. */
  private lastStarts(effects: readonly Effect[]): readonly number[] {
    const last = new Map<string, number>();
    for (const { key, at } of effects) last.set(runKeyOf(key), Math.max(at, last.get(runKeyOf(key)) ?? 0));
    return [...this.runs.values()].flatMap(({ runKey, cancelledAt }) =>
      cancelledAt === null ? [] : [Math.max(0, (last.get(runKey) ?? 0) - cancelledAt)],
    );
  }
}

const keyOf = ({ runKey }: Cancelled, stepId: string): string => idempotencyKey(runKey, stepId);
const runKeyOf = (key: string): string => key.slice(0, key.indexOf('/'));
const callOf = (key: string, attempt: number): string => `${key}/${attempt}`;
