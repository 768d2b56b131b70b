import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, spawnService, type Exit, type Service } from '@holdfast/dev';
import { nodeChildrenOf } from './child-processes.js';

/** How to start one service of the mission. */
export type MemberPlan = {
  readonly name: string;
  /** The built program. */
  readonly main: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Asked over HTTP until it answers with 200; null where the service's word that it listens is enough. */
  readonly readyPath: string | null;
};

const READY_MS = 60_000;
const ASK_AGAIN_MS = 20;

/** A service of the mission, which can be killed and started again under the same name. */
export class Member {
  private service: Service | null = null;
  private worker: number | null = null;
  private restarting: Promise<void> | null = null;
  private stopped = false;
  private ready = false;
  /** Where it answers over HTTP, as it said itself. */
  httpPort: number | null = null;

  constructor(
    readonly plan: MemberPlan,
    /** Called when it ends although nobody here wanted it to. */
    private readonly ended: (name: string, exit: Exit) => void,
  ) {}

  get name(): string {
    return this.plan.name;
  }

  /** Resolves when the service says that it is ready. */
  async start(): Promise<void> {
    this.ready = false;
    let ready!: () => void;
    const isReady = new Promise<void>((resolve) => (ready = resolve));
    const { name, main, args = [], env, logFile } = this.plan;
    this.worker = null;
    const service = await spawnService({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', main, ...args],
      env,
      logFile,
      onLine: (line) => this.hear(line, ready),
    });
    this.service = service;
    void this.watch(service);
    await this.untilReady(service, isReady);
    this.ready = true;
  }

  /** Running, and not in the middle of a start. */
  get isUp(): boolean {
    return this.ready && this.service?.running === true;
  }

  /** The pid of its worker, if it has one: the one it named last, else its child. */
  get workerPid(): number | null {
    if (this.worker !== null && isAlive(this.worker)) return this.worker;
    return this.pid === null ? null : (nodeChildrenOf(this.pid).at(-1) ?? null);
  }

  get pid(): number | null {
    return this.service?.running === true ? this.service.pid : null;
  }

  /** Kills the worker alone; its parent is to notice and to start another. The pids that were hit. */
  killWorker(): readonly number[] {
    const pid = this.workerPid;
    if (pid === null) return [];
    process.kill(pid, 'SIGKILL');
    return [pid];
  }

  /** Kills the service with everything it has started. The pids that were hit. */
  killWhole(): readonly number[] {
    const worker = this.workerPid;
    const parent = this.pid;
    this.service?.kill('SIGKILL');
    if (worker !== null) killGroup(worker);
    return [parent, worker].filter((pid) => pid !== null);
  }

  /** The process groups that it consists of, its worker's first. */
  groups(): readonly number[] {
    return [this.workerPid, this.pid].filter((pid) => pid !== null);
  }

  /** Resolves when it says over HTTP that it can work; or when it has ended. */
  async answers(): Promise<void> {
    if (this.service !== null) await this.untilItAnswers(this.service);
  }

  /** Starts it again once it has ended. A second call while that goes on changes nothing. */
  restart(): Promise<void> {
    this.restarting ??= this.startAgain().finally(() => (this.restarting = null));
    return this.restarting;
  }

  async stop(graceMs: number): Promise<void> {
    this.stopped = true;
    await this.service?.stop(graceMs);
  }

  private async watch(service: Service): Promise<void> {
    const exit = await service.exited;
    // While it starts, who started it is told; a kill of ours is followed by a restart.
    const wanted = this.stopped || !this.ready || this.restarting !== null;
    if (this.service === service && !wanted) this.ended(this.name, exit);
  }

  private async startAgain(): Promise<void> {
    await this.service?.exited;
    if (!this.stopped) await this.start();
  }

  private hear(line: string, ready: () => void): void {
    const said = parseLine(line);
    if (said['msg'] === 'ready') {
      this.httpPort = numberOr(said['httpPort'] ?? said['port'], this.httpPort);
      ready();
    }
    if (said['msg'] === 'worker started') this.worker = numberOr(said['workerPid'] ?? said['pid'], this.worker);
  }

  private async untilReady(service: Service, isReady: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.trouble(`was not ready within ${READY_MS / 1_000} s`)), READY_MS);
    });
    const answers = isReady.then(() => this.untilItAnswers(service));
    await Promise.race([answers, this.early(service), late]).finally(() => clearTimeout(timer));
  }

  private async untilItAnswers(service: Service): Promise<void> {
    const { readyPath } = this.plan;
    if (readyPath === null) return;
    while (service.running) {
      const response = await fetch(`http://127.0.0.1:${this.httpPort}${readyPath}`).catch(() => null);
      if (response?.ok === true) return;
      await sleep(ASK_AGAIN_MS);
    }
  }

  private async early(service: Service): Promise<void> {
    await service.exited;
    if (!this.stopped) throw this.trouble('ended while it started');
  }

  private trouble(what: string): Error {
    return new Error(`${this.name} ${what}; its log is ${this.plan.logFile}`);
  }
}

const parseLine = (line: string): Readonly<Record<string, unknown>> => {
  if (!line.startsWith('{')) return {};
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
};

const numberOr = <T>(value: unknown, otherwise: T): number | T => (typeof value === 'number' ? value : otherwise);

// A worker may lead a group of its own; where it does not, only the process itself can be meant.
const killGroup = (pid: number): void => {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Gone already, or no such group.
    }
  }
};
