import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { SeatMembership, Seats } from '@holdfast/log';
import { Health, SEATS, TIMER, type Cancel, type HealthCheck, type Timer } from '@holdfast/service';
import { Projecting } from './projecting.js';

/** How old may be what people see. */
const TICK_MS = 50;
const COMPARE_MS = 1_000;
const LOOK_MS = 2_000;
const RETAIN_MS = 60_000;

/** Joins the seats and lets lanes be projected; looks after the database. */
@Injectable()
export class ProjectingService implements OnApplicationBootstrap, OnApplicationShutdown {
  private membership: SeatMembership | null = null;
  private timers: readonly Cancel[] = [];

  constructor(
    @Inject(Projecting) private readonly projecting: Projecting,
    @Inject(SEATS) private readonly seats: Seats,
    @Inject(TIMER) private readonly timer: Timer,
    @Inject(Health) health: Health,
  ) {
    health.contribute('database', () => this.checkDatabase());
    health.contribute('projection', () => this.checkProjection());
    // Wrong rows are told of, and they are better than none: the gateway goes on serving.
    health.contribute('shadow', () => ({ ok: true, data: { ...this.projecting.status().shadow } }));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.projecting.database.look();
    this.membership = await this.seats.join(this.projecting.pool, (held) => this.projecting.hold(held));
    this.timers = [
      this.timer.every(TICK_MS, () => this.projecting.tick()),
      this.timer.every(COMPARE_MS, () => void this.projecting.compare()),
      this.timer.every(LOOK_MS, () => void this.projecting.database.look()),
      this.timer.every(RETAIN_MS, () => void this.projecting.retain()),
    ];
  }

  async onApplicationShutdown(): Promise<void> {
    for (const cancel of this.timers) cancel();
    await this.membership?.leave();
    await this.projecting.stop();
    await this.projecting.database.close();
  }

  private checkDatabase(): HealthCheck {
    const { problem } = this.projecting.database;
    return problem === null ? { ok: true } : { ok: false, detail: problem };
  }

  private checkProjection(): HealthCheck {
    const { broken, troubles, beside, shadow: _, ...rest } = this.projecting.status();
    const [byLane, byTopic] = [Object.fromEntries(troubles), Object.fromEntries(beside)];
    const data = { ...rest, broken: Object.fromEntries(broken), troubles: byLane, beside: byTopic };
    if (broken.size > 0) return { ok: false, detail: `broken lanes: ${[...broken.keys()].join(', ')}`, data };
    if (troubles.size > 0)
      return { ok: false, detail: `rows of lanes ${[...troubles.keys()].join(', ')} cannot be written`, data };
    if (beside.size > 0)
      return { ok: false, detail: `rows of ${[...beside.keys()].join(', ')} cannot be written`, data };
    return { ok: true, data };
  }
}
