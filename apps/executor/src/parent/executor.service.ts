import { CONFIG, Health, METRICS, type HealthCheck } from '@holdfast/service';
import type { Levels, Metrics } from '@holdfast/telemetry';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ExecutorConfig } from '../executor.config.js';
import { Supervisor } from './supervisor.js';

/** The parent process of an executor as a part of its service. */
@Injectable()
export class ExecutorService implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(Supervisor) private readonly supervisor: Supervisor,
    @Inject(CONFIG) private readonly config: ExecutorConfig,
    @Inject(Health) health: Health,
    @Inject(METRICS) metrics: Metrics,
  ) {
    metrics.look((levels) => this.tell(levels));
    health.contribute('worker', () => this.workerHealth());
    health.contribute('heartbeat', () => this.heartbeatHealth());
  }

  onApplicationBootstrap(): void {
    this.supervisor.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.supervisor.stop();
  }

  private tell(levels: Levels): void {
    const { heartbeat, defects } = this.supervisor;
    const { calls, open, draining, isReady } = this.supervisor.counts();
    levels.set('holdfast_executor_slots', {}, this.config.concurrency);
    levels.set('holdfast_executor_calls', {}, calls);
    levels.set('holdfast_executor_sessions', { state: 'open' }, open);
    levels.set('holdfast_executor_sessions', { state: 'draining' }, draining);
    levels.set('holdfast_executor_worker_ready', {}, Number(isReady));
    levels.set('holdfast_executor_defects', {}, defects.length);
    levels.set('holdfast_executor_heartbeat_age_seconds', {}, heartbeat.ageMs() / 1_000);
    levels.set('holdfast_executor_clock_offset_seconds', {}, heartbeat.clockOffMs / 1_000);
    for (const [queue, partitions] of Object.entries(this.supervisor.served()))
      levels.set('holdfast_executor_partitions', { queue }, partitions.length);
  }

  private workerHealth(): HealthCheck {
    const { trouble } = this.supervisor;
    const data = { partitions: this.supervisor.served() };
    return trouble === null ? { ok: true, data } : { ok: false, detail: trouble, data };
  }

  private heartbeatHealth(): HealthCheck {
    const { heartbeat } = this.supervisor;
    if (heartbeat.ageMs() >= this.config.leaseMs) {
      return { ok: false, detail: 'no heartbeat was acknowledged for a lease: no work is taken' };
    }
    if (Math.abs(heartbeat.clockOffMs) > this.config.skewMs) {
      return {
        ok: false,
        detail: `this clock is off by ${heartbeat.clockOffMs} ms from the broker's: no work is taken`,
      };
    }
    if (heartbeat.wasClockRight) return { ok: true };
    return { ok: false, detail: 'no heartbeat was answered quickly enough to compare the clock: no work is taken' };
  }
}
