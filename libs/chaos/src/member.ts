import { existsSync, readFileSync } from 'node:fs';
import { eventually, spawnService, type Exit, type Service } from '@holdfast/dev';
import { nodeChildrenOf, signal } from './processes.js';

export type MemberPlan = {
  readonly name: string;
  /** The built program. */
  readonly main: string;
  readonly args?: readonly string[];
  /** Over the own environment; `undefined` takes a variable away. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logFile: string;
  /** It has no `/ready`: that it listens is enough. */
  readonly plain?: boolean;
};

/** What a service says about itself. */
export type MemberHealth = {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly checks: Readonly<
    Record<string, { readonly ok: boolean; readonly detail?: string; readonly data?: unknown }>
  >;
};

/** Long: a busy machine starts several services at once. */
const READY_MS = 90_000;

/** A service in a process of its own. It can be killed, frozen and started again under its name. */
export class Member {
  private service: Service | null = null;
  private httpPort: number | null = null;
  /** How its last life ended. */
  lastExit: Exit | null = null;
  /** Of all its lives, the present one last. */
  readonly pids: number[] = [];

  constructor(readonly plan: MemberPlan) {}

  get name(): string {
    return this.plan.name;
  }

  get running(): boolean {
    return this.service?.running === true;
  }

  get pid(): number {
    return this.started.pid;
  }

  get port(): number {
    if (this.httpPort === null) throw new Error(`${this.name} has not said where it listens`);
    return this.httpPort;
  }

  get exited(): Promise<Exit> {
    return this.started.exited;
  }

  /** Starts the process, without waiting until it is ready. */
  async launch(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.httpPort = null;
    const { name, main, args = [], logFile } = this.plan;
    const onLine = (line: string): void => this.hear(line);
    this.service = await spawnService({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', main, ...args],
      env: { ...this.plan.env, ...env },
      logFile,
      onLine,
    });
    this.pids.push(this.service.pid);
    void this.service.exited.then((exit) => (this.lastExit = exit));
  }

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.launch(env);
    await this.ready();
  }

  /** Resolves when the service says over HTTP that it can work. */
  async ready(): Promise<void> {
    await eventually(`${this.name} is ready; its log: ${this.plan.logFile}`, () => this.isReady(), READY_MS);
  }

  /** What it says about itself; null when it does not answer. */
  async health(): Promise<MemberHealth | null> {
    if (this.httpPort === null) return null;
    const asked = fetch(`http://127.0.0.1:${this.httpPort}/ready`, { signal: AbortSignal.timeout(2_000) });
    return asked.then(async (response) => (await response.json()) as MemberHealth).catch(() => null);
  }

  /** What a check of its health tells beside whether it is well; null when it does not answer. */
  async dataOf(check: string): Promise<unknown> {
    return (await this.health())?.checks[check]?.data ?? null;
  }

  /** The pid of the executor's worker; null while it has none. */
  workerPid(): number | null {
    return this.running ? (nodeChildrenOf(this.pid).at(-1) ?? null) : null;
  }

  /** Kills the worker alone and answers its pid: its parent is to notice and to start another. */
  killWorker(): number {
    const pid = this.workerPid();
    if (pid === null) throw new Error(`${this.name} has no worker to kill`);
    signal(pid, 'SIGKILL');
    return pid;
  }

  /** Kills the process alone. */
  async kill(): Promise<void> {
    this.started.kill('SIGKILL');
    await this.exited;
  }

  /** Kills the process and what it has started, all at the same moment. */
  async killWhole(): Promise<void> {
    if (!this.running) return;
    const pids = [this.pid, ...nodeChildrenOf(this.pid)];
    for (const pid of pids) signal(pid, 'SIGSTOP');
    for (const pid of pids) signal(pid, 'SIGKILL');
    await this.exited;
  }

  freeze(): void {
    for (const pid of [this.pid, ...nodeChildrenOf(this.pid)]) signal(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of [...nodeChildrenOf(this.pid), this.pid]) signal(pid, 'SIGCONT');
  }

  /** Asks it to end. */
  stop(graceMs: number): Promise<Exit> {
    return this.started.stop(graceMs);
  }

  /** What it has logged so far. */
  log(): string {
    return existsSync(this.plan.logFile) ? readFileSync(this.plan.logFile, 'utf8') : '';
  }

  private get started(): Service {
    if (this.service === null) throw new Error(`${this.name} has not been started`);
    return this.service;
  }

  private async isReady(): Promise<boolean> {
    if (!this.running) throw new Error(`${this.name} ended while it started:\n${this.log().slice(-2_000)}`);
    if (this.plan.plain === true) return this.httpPort !== null;
    return (await this.health())?.ready === true;
  }

  private hear(line: string): void {
    if (!line.startsWith('{') || !line.includes('"ready"')) return;
    const said = JSON.parse(line) as { readonly msg?: unknown; readonly port?: unknown };
    if (said.msg === 'ready') this.httpPort = Number(said.port);
  }
}
