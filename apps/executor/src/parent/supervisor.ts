import type { CatalogueEntry, TopicNames } from '@holdfast/contracts';
import { unreachable } from '@holdfast/events';
import type { Log, Seats } from '@holdfast/log';
import type { Cancel, Ids, Logger, Timer, ToolSet } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import type { Metrics } from '@holdfast/telemetry';
import type { ToParent } from '../channel/channel.js';
import type { ExecutorConfig } from '../executor.config.js';
import type { Time } from '../session/session.state.js';
import { CallsUnderWay } from './calls-under-way.js';
import { Heartbeat } from './heartbeat.js';
import { QueueSeats } from './queue-seats.js';
import { Sessions, type Cause } from './sessions.js';
import { ToolShelf } from './tool-shelf.js';
import { Watchdog } from './watchdog.js';
import { WorkerNumbers } from './worker-numbers.js';
import type { Exit, StartWorker, WorkerHandle } from './worker-process.js';

export type SupervisorPorts = {
  readonly log: Log;
  readonly seats: Seats;
  readonly names: TopicNames;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly clocks: () => Time;
  readonly startWorker: StartWorker;
  /** Makes the tools known; rejects with `ToolsRefused` when they must not be served. */
  readonly publish: (tools: ToolSet) => Promise<void>;
  /** The worker can never start. */
  readonly fatal: (error: Error) => void;
  readonly metrics?: Metrics;
};

type Settings = Pick<ExecutorConfig, 'concurrency' | 'heartbeatMs' | 'skewMs' | 'graceMs' | 'deathsMax' | 'drainMs'>;

/** A worker that lived shorter than this died at once. */
const SHORT_LIFE_MS = 5_000;
const AGAIN_MS_FIRST = 200;
const AGAIN_MS_MAX = 5_000;
/** What is left of the time for stopping after the calls were told to stop. */
const LAST_WORDS_MS = 2_000;

/** Holds the seats, sends the heartbeats, opens and ends sessions, and sees to it that there is a worker. */
export class Supervisor {
  readonly heartbeat: Heartbeat;
  readonly defects: string[] = [];
  private readonly sessions: Sessions;
  private readonly shelf: ToolShelf;
  private readonly calls: CallsUnderWay;
  private readonly watchdog: Watchdog;
  private readonly numbers: WorkerNumbers;
  private readonly queues = new Map<string, QueueSeats>();
  private worker: WorkerHandle | null = null;
  private isReady = false;
  private startedAt = 0;
  private shortLives = 0;
  private killed = false;
  private stopping: (() => void) | null = null;
  private cancelRestart: Cancel = () => undefined;

  constructor(
    private readonly ports: SupervisorPorts,
    private readonly settings: Settings,
  ) {
    const { log, names, timer, ids, logger, clocks } = ports;
    this.numbers = new WorkerNumbers(ports.metrics);
    const executor = ids.next();
    const shared = { log, topic: names.heartbeats, timer, logger, executor };
    this.sessions = new Sessions({ ...shared, ids, now: () => clocks().now });
    this.shelf = new ToolShelf(ports, ports.publish);
    this.calls = new CallsUnderWay(settings.deathsMax);
    this.heartbeat = new Heartbeat(
      { ...shared, clocks, skewMs: settings.skewMs },
      () => this.beat(),
      ({ sessions, ...beat }) => {
        const living = sessions.filter((session) => this.sessions.isAlive(session));
        this.worker?.tell({ type: 'beat-acknowledged', sessions: living, ...beat });
      },
    );
    this.watchdog = new Watchdog(timer, {
      ping: () => this.worker?.tell({ type: 'ping' }),
      anyCallPast: () => this.calls.anyPast(clocks().now, settings.graceMs),
      kill: () => this.kill('it answers no more and a call is past its time'),
    });
  }

  start(): void {
    this.heartbeat.start(this.settings.heartbeatMs);
    this.startWorker();
  }

  /** No new work; calls may end, then the worker leaves, its sessions are ended and the seats given up. */
  async stop(): Promise<void> {
    if (this.stopping !== null) return;
    const { timer, clocks } = this.ports;
    const left = Math.max(0, this.settings.drainMs - LAST_WORDS_MS);
    const gone = new Promise<void>((resolve) => {
      this.stopping = resolve;
      if (this.worker === null) resolve();
    });
    this.cancelRestart();
    this.worker?.tell({ type: 'drain', until: clocks().now + left });
    const cancel = timer.after(left + LAST_WORDS_MS / 2, () => this.kill('it did not stop in time'));
    await gone;
    cancel();
    this.watchdog.stop();
    await this.sessions.allSaid();
    this.heartbeat.stop();
    await Promise.all([...this.queues.values()].map((queue) => queue.leave()));
  }

  /** Why no work is taken, or null. */
  get trouble(): string | null {
    if (!this.isReady) return 'the worker is not ready';
    if (this.watchdog.isSilent) return 'the worker does not answer';
    return this.defects.length === 0 ? null : this.defects.join('; ');
  }

  served(): Readonly<Record<string, number[]>> {
    return Object.fromEntries([...this.queues].map(([name, queue]) => [name, queue.served().map(([seat]) => seat)]));
  }

  /** How many of each there are at this moment. */
  counts() {
    const states = this.sessions.list().map(({ state }) => state);
    const open = states.filter((state) => state === 'open').length;
    return { calls: this.calls.size, open, draining: states.length - open, isReady: this.isReady };
  }

  private beat() {
    const { concurrency } = this.settings;
    const free = this.isReady ? Math.max(0, concurrency - this.calls.size) : 0;
    const queues = Object.fromEntries(
      Object.entries(this.served()).map(([name, partitions]) => [name, { partitions, slots: concurrency, free }]),
    );
    return { sessions: this.sessions.list(), queues, tools: [...this.shelf.tools] };
  }

  private startWorker(): void {
    this.startedAt = this.ports.clocks().mono;
    this.killed = false;
    this.worker = this.ports.startWorker({
      said: (message) => this.hear(message),
      gone: (exit) => this.workerGone(exit),
    });
  }

  private workerGone(exit: Exit): void {
    const { clocks, timer, logger } = this.ports;
    const wasReady = this.isReady;
    this.worker = null;
    this.isReady = false;
    this.watchdog.stop();
    const cause = this.causeOf(exit.code);
    this.numbers.gone(cause);
    this.sessions.endAll(cause);
    this.calls.workerDied();
    if (this.stopping !== null) return this.stopping();
    const lifeMs = clocks().mono - this.startedAt;
    this.shortLives = wasReady && lifeMs >= SHORT_LIFE_MS ? 0 : this.shortLives + 1;
    const pauseMs = this.shortLives < 2 ? 0 : Math.min(AGAIN_MS_FIRST * 2 ** (this.shortLives - 2), AGAIN_MS_MAX);
    logger.warn({ ...exit, lifeMs: Math.round(lifeMs), pauseMs }, 'the worker is gone; starting another');
    if (pauseMs === 0) this.startWorker();
    else this.cancelRestart = timer.after(pauseMs, () => this.startWorker());
  }

  private causeOf(code: number | null): Cause {
    if (this.killed) return 'killed';
    // Whoever dies while it drains has not said its last word.
    return this.stopping !== null && code === 0 ? 'stopped' : 'exited';
  }

  private hear(message: ToParent): void {
    switch (message.type) {
      case 'ready':
        return void this.workerReady(message.catalogue);
      case 'cannot-start':
        return this.ports.fatal(new Error(message.problem));
      case 'pong':
        return this.watchdog.pong();
      case 'numbers':
        return this.numbers.said(message);
      case 'calls':
        return this.calls.said(message.begun, message.ended);
      case 'positions':
        for (const { queue, partition, next } of message.positions) this.queues.get(queue)?.done(partition, next);
        return;
      case 'session-draining':
        return this.replaceSession(message.session, message.reason);
      case 'session-over':
        return this.sessions.end(message.session, 'stopped');
      case 'partition-defect':
        this.defects.push(`${message.queue} ${message.partition}: ${message.detail}`);
        return;
      case 'drained':
        return;
      default:
        return unreachable(message);
    }
  }

  /** A worker serves what is in the catalogue, and only then. */
  private async workerReady(catalogue: readonly CatalogueEntry[]): Promise<void> {
    const { worker } = this;
    try {
      await this.shelf.put(catalogue);
    } catch (error) {
      return this.ports.fatal(error as Error);
    }
    if (this.worker !== worker || this.stopping !== null) return;
    this.isReady = true;
    this.watchdog.start();
    this.worker?.tell({
      type: 'quarantine',
      attemptIds: this.calls.quarantined(),
      suspects: this.calls.suspects(),
    });
    this.openSession();
    for (const [queue, seats] of this.queues) {
      for (const [partition, from] of seats.served()) this.gained(queue, partition, from);
    }
    const queues = [...new Set(catalogue.map(({ queue }) => queue))];
    for (const queue of queues) if (!this.queues.has(queue)) void this.join(queue);
    this.ports.logger.info({ tools: this.shelf.tools, queues }, 'the worker is ready');
  }

  private async join(queue: string): Promise<void> {
    const seats = new QueueSeats(this.ports, queue, {
      gained: (name, partition, from) => this.gained(name, partition, from),
      lost: (name, partition) => this.worker?.tell({ type: 'seat-lost', queue: name, partition }),
    });
    this.queues.set(queue, seats);
    await seats.join();
  }

  private gained(queue: string, partition: number, from: number): void {
    if (this.isReady) this.worker?.tell({ type: 'seat-gained', queue, partition, from });
    this.heartbeat.beat();
  }

  private openSession(): void {
    failpoint('parent.session-open.before');
    const session = this.sessions.open();
    this.worker?.tell({ type: 'open-session', session });
    this.heartbeat.beat();
  }

  private replaceSession(session: string, reason: string): void {
    this.ports.logger.warn({ session, reason }, 'a session takes no more work; opening another');
    this.sessions.drain(session);
    if (this.stopping === null) this.openSession();
  }

  private kill(reason: string): void {
    if (this.worker === null) return;
    this.ports.logger.error({ reason }, 'killing the worker');
    this.killed = true;
    this.worker.kill();
  }
}
