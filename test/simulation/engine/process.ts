import type { Cancel, Clock, Ids, Timer } from '@holdfast/sdk';
import type { Time } from '../../../apps/executor/src/session/session.state.js';
import type { Dice } from './dice.js';
import type { Schedule } from './schedule.js';

/** Epoch ms of the start. */
export const EPOCH = 1_700_000_000_000;

/** Nothing ticks faster: it would only take time. */
export const TICK_MS = 100;

export type ProcessParts = {
  readonly schedule: Schedule;
  readonly dice: Dice;
  /** Asked at each input and each output, by name: the process may be stopped there. */
  readonly gate: (process: SimProcess, gate: string) => void;
  readonly died: (process: SimProcess) => void;
};

/**
 * One process life. It can be killed or frozen between any two things that it does: whatever would reach it afterwards is
 * dropped, or waits until it is woken.
 */
export class SimProcess {
  isAlive = true;
  isFrozen = false;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  /** How far its wall clock is off, ms. */
  offMs = 0;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly parts: ProcessParts,
    /** The same for all lives of it. */
    readonly name: string,
    /** Of this life. */
    readonly id: string,
  ) {
    const { schedule, dice } = parts;
    this.clock = { now: () => this.times().now, monotonic: () => schedule.now };
    this.ids = { next: () => dice.id(`id ${name}`) };
    this.timer = {
      after: (ms, work) => this.repeat(ms, work, false),
      every: (ms, work) => this.repeat(Math.max(ms, TICK_MS), work, true),
    };
  }

  times(): Time {
    const { now } = this.parts.schedule;
    return { now: Math.round(EPOCH + now + this.offMs), mono: now };
  }

  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.waiting = [];
    this.parts.died(this);
  }

  freeze(): void {
    this.isFrozen = true;
  }

  thaw(): void {
    this.isFrozen = false;
    for (const run of this.waiting.splice(0)) this.parts.schedule.after(0, () => this.receive(run));
  }

  /** Something reaches the process after `ms`, through a gate. */
  after(ms: number, gate: string, run: () => void): void {
    this.parts.schedule.after(ms, () => this.enter(gate, run));
  }

  /** The process is about to do something that others see: it may be stopped just before. */
  leave(gate: string, run: () => void): void {
    if (!this.isAlive) return;
    this.parts.gate(this, gate);
    this.receive(run);
  }

  private enter(gate: string, run: () => void): void {
    if (this.isAlive && !this.isFrozen) this.parts.gate(this, gate);
    this.receive(run);
  }

  private receive(run: () => void): void {
    if (!this.isAlive) return;
    if (this.isFrozen) this.waiting.push(run);
    else run();
  }

  private repeat(ms: number, work: () => void, again: boolean): Cancel {
    let cancelled = false;
    const ring = (): void => {
      if (cancelled) return;
      if (again) set();
      work();
    };
    const set = (): void =>
      this.parts.schedule.after(ms, () => {
        if (!cancelled) this.enter('timer', ring);
      });
    set();
    return () => (cancelled = true);
  }
}
