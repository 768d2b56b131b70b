import { decode, heartbeatKind, lanePlan, queuePlan, topicNames, type CatalogueEntry } from '@holdfast/contracts';
import { createMemoryLog, MemoryCluster, MemoryGroups, type MemoryLog } from '@holdfast/log';
import { defineTool, silentLogger, type ToolSet } from '@holdfast/sdk';
import { z } from 'zod';
import type { ToParent, ToWorker } from '../../apps/executor/src/channel/channel.js';
import { Supervisor } from '../../apps/executor/src/parent/supervisor.js';
import type { WorkerNews } from '../../apps/executor/src/parent/worker-process.js';
import { ManualTimer } from './manual-timer.js';

/** A worker as a test plays it. */
export class PlayedWorker {
  readonly heard: ToWorker[] = [];
  wasKilled = false;

  constructor(readonly news: WorkerNews) {}

  says(message: ToParent): void {
    this.news.said(message);
  }

  dies(): void {
    this.news.gone({ code: null, signal: 'SIGKILL' });
  }

  /** Ends by itself, with its last word said. */
  leaves(): void {
    this.news.gone({ code: 0, signal: null });
  }

  of<T extends ToWorker['type']>(type: T): Extract<ToWorker, { type: T }>[] {
    return this.heard.filter((message): message is Extract<ToWorker, { type: T }> => message.type === type);
  }

  session(): string {
    return this.of('open-session').at(-1)?.session ?? '';
  }
}

const CATALOGUE: readonly CatalogueEntry[] = [
  defineTool({
    name: 'look',
    version: '1',
    input: z.object({}),
    output: z.null(),
    replay: 'pure',
    timeoutMs: 1_000,
    run: () => null,
  }).catalogueEntry(),
];

/** A parent on a cluster in memory, with workers that a test plays. */
export class ParentBench {
  readonly names = topicNames('t');
  readonly timer = new ManualTimer();
  brokerOffMs = 0;
  readonly cluster = new MemoryCluster({ now: () => this.timer.clocks().now + this.brokerOffMs });
  readonly groups = new MemoryGroups(this.cluster);
  readonly log: MemoryLog = createMemoryLog(this.cluster, { timer: (ms, work) => this.timer.after(ms, work) });
  readonly workers: PlayedWorker[] = [];
  readonly fatal: string[] = [];
  readonly supervisor: Supervisor;
  readonly pool = { topic: this.names.queueSeats('default'), group: this.names.group('queue.default') };
  private ids = 0;

  constructor(publish: (tools: ToolSet) => Promise<void> = () => Promise.resolve()) {
    for (const plan of [...lanePlan(this.names, 2), ...queuePlan(this.names, 'default', 2)]) this.cluster.create(plan);
    const { names, log, timer } = this;
    this.supervisor = new Supervisor(
      {
        log,
        names,
        timer,
        seats: this.groups.seats('me'),
        ids: { next: () => `id-${(this.ids += 1)}` },
        logger: silentLogger,
        clocks: timer.clocks,
        publish,
        fatal: (error) => this.fatal.push(error.message),
        startWorker: (news) => this.play(news),
      },
      { concurrency: 4, heartbeatMs: 500, skewMs: 1_000, graceMs: 2_000, deathsMax: 3, drainMs: 10_000 },
    );
  }

  /** The parent runs, its worker is ready and has its seats. */
  static async ready(): Promise<ParentBench> {
    const bench = new ParentBench();
    bench.supervisor.start();
    await bench.workerReady();
    return bench;
  }

  get worker(): PlayedWorker {
    const last = this.workers.at(-1);
    if (last === undefined) throw new Error('no worker was started');
    return last;
  }

  async workerReady(): Promise<void> {
    this.worker.says({ type: 'ready', catalogue: CATALOGUE });
    await this.timer.pass(10);
  }

  beats() {
    const found = this.cluster.partition(this.names.heartbeats, 0);
    return found.slice(0, found.bounds().end, Infinity).flatMap(({ value }) => {
      const decoded = decode(heartbeatKind, value);
      return decoded.ok ? [decoded.message] : [];
    });
  }

  ends(): string[] {
    return this.beats().flatMap(({ type, data }) => (type === 'SessionEnded' ? [`${data.session} ${data.cause}`] : []));
  }

  lastBeat() {
    const last = this.beats().findLast(({ type }) => type === 'ExecutorBeat');
    if (last?.type !== 'ExecutorBeat') throw new Error('no heartbeat was sent');
    return last.data;
  }

  private play(news: WorkerNews) {
    const worker = new PlayedWorker(news);
    this.workers.push(worker);
    const kill = (): void => {
      worker.wasKilled = true;
      worker.dies();
    };
    return { tell: (message: ToWorker) => void worker.heard.push(message), kill };
  }
}
