import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { SeatMembership, Seats } from '@holdfast/log';
import { Health, SEATS, TIMER, type Cancel, type HealthCheck, type Timer } from '@holdfast/service';
import { Reconciling } from './reconciling.js';

const TICK_MS = 100;

/** Joins the seats and lets the reconciler work on the lanes that fall to it. */
@Injectable()
export class ReconcilerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private membership: SeatMembership | null = null;
  private stopTicking: Cancel | null = null;

  constructor(
    @Inject(Reconciling) private readonly reconciling: Reconciling,
    @Inject(SEATS) private readonly seats: Seats,
    @Inject(TIMER) private readonly timer: Timer,
    @Inject(Health) health: Health,
  ) {
    health.contribute('lanes', () => this.check());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.membership = await this.seats.join(this.reconciling.pool, (held) => this.reconciling.hold(held));
    this.stopTicking = this.timer.every(TICK_MS, () => this.reconciling.tick());
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopTicking?.();
    await Promise.all([this.membership?.leave(), this.reconciling.stop()]);
  }

  private check(): HealthCheck {
    const { broken, ...rest } = this.reconciling.status();
    const data = { ...rest, broken: Object.fromEntries(broken) };
    if (broken.size > 0) return { ok: false, detail: `broken lanes: ${[...broken.keys()].join(', ')}`, data };
    if (rest.behind.length > 0) return { ok: false, detail: `still reading lanes ${rest.behind.join(', ')}`, data };
    if (!rest.isClockProven)
      return { ok: false, detail: 'no record was answered quickly enough of late to compare the clock', data };
    return this.membership === null ? { ok: false, detail: 'not a member of the seats yet', data } : { ok: true, data };
  }
}
