import { CONFIG, Health, type HealthCheck } from '@holdfast/service';
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
  ) {
    health.contribute('worker', () => this.workerHealth());
    health.contribute('heartbeat', () => this.heartbeatHealth());
  }

  onApplicationBootstrap(): void {
    this.supervisor.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.supervisor.stop();
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
