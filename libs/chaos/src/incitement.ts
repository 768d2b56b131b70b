import { encode, topicNames } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import type { FailpointName } from '@holdfast/service/failpoint';
import { LANES, type Fleet } from './fleet.js';
import type { Load } from './load.js';
import { signal } from './processes.js';
import type { TrackedRun } from './tracked-run.js';
import { triggerOf, type Trigger } from './triggers.js';

/** How long a failpoint may be reached by itself before a doubt is made, ms. */
const PATIENCE_MS = 2_000;
/** A trigger that led nowhere is pulled again, ms. */
const AGAIN_MS = 4_000;
const HAND_OVER_AGAIN_MS = 12_000;

/** Sees to it that a process comes to a failpoint. */
export class Incitement {
  private readonly trigger: Trigger;
  private nextAt: number;
  private pulled = 0;
  private over = false;
  private paused: readonly number[] = [];
  private waiting: TrackedRun[] = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly load: Load,
    point: FailpointName,
  ) {
    this.trigger = triggerOf(point);
    this.nextAt = performance.now() + (this.trigger === 'doubt' ? PATIENCE_MS : 0);
  }

  /** To be called again and again until the failpoint is hit. */
  goOn(): void {
    this.cancelWaiting();
    if (this.trigger === 'load' || performance.now() < this.nextAt) return;
    this.nextAt = performance.now() + (this.trigger.startsWith('hand-over') ? HAND_OVER_AGAIN_MS : AGAIN_MS);
    this.pull();
    this.pulled += 1;
  }

  end(): void {
    this.over = true;
    for (const pid of this.paused) signal(pid, 'SIGCONT');
    this.paused = [];
    // They are cancelled all the same: their purpose is known to whoever counts.
    for (const run of this.waiting.splice(0)) this.load.cancel(run);
  }

  private pull(): void {
    switch (this.trigger) {
      case 'worker-death':
      case 'doubt':
        return this.load.parts.asks.beside(this.killWorker(this.pulled));
      case 'submit':
        return void this.load.add('carried');
      case 'cancel':
        return this.submitToPaused();
      case 'hand-over-coordinator':
        return this.handOver('coordinator');
      case 'hand-over-reconciler':
        return this.handOver('reconciler');
      case 'garbage':
        return this.load.parts.asks.beside(this.load.garbage(LANES));
      case 'stray':
        return this.load.parts.asks.beside(this.stray());
      case 'load':
    }
  }

  /** One after the other, and none that is only starting: it has no calls, and would never come to have any. */
  private async killWorker(turn: number): Promise<void> {
    const pids = await this.fleet.busyWorkerPids();
    const pid = pids[turn % Math.max(1, pids.length)];
    if (pid !== undefined && !this.over) signal(pid, 'SIGKILL');
  }

  /** With all workers paused, nobody claims what is scheduled now. */
  private submitToPaused(): void {
    if (this.paused.length > 0) return;
    this.paused = this.fleet.workerPids();
    for (const pid of this.paused) signal(pid, 'SIGSTOP');
    this.waiting = [...this.load.add('cancelled')];
  }

  private cancelWaiting(): void {
    const scheduled = this.waiting.filter((run) => run.scheduled > 0);
    this.waiting = this.waiting.filter((run) => run.scheduled === 0);
    for (const run of scheduled) this.load.cancel(run);
  }

  private handOver(kind: 'coordinator' | 'reconciler'): void {
    const running = this.fleet.of(kind).filter((member) => member.running);
    // Both must be there: one to end, one to take over.
    const [first] = running;
    if (first !== undefined && running.length === this.fleet.of(kind).length) this.fleet.handOver(first);
  }

  /** A request about a run that is nowhere, on each lane but its own. */
  private async stray(): Promise<void> {
    const { log, namespace } = this.load.parts;
    const runId = `stray-${Math.round(performance.now())}`;
    const data = { requestId: runId, runId };
    const time = new Date().toISOString();
    const message = { type: 'CancelRun', version: 1, id: runId, source: 'holdfast/chaos', subject: runId, time };
    const value = encode({ ...message, principal: null, data });
    const lanes = Array.from({ length: LANES }, (_, lane) => lane).filter((lane) => lane !== laneOf(runId, LANES));
    const topic = topicNames(namespace).requests;
    await Promise.all(lanes.map((lane) => log.append(topic, lane, [{ key: runId, value }])));
  }
}
