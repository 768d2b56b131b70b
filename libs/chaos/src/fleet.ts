import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@holdfast/dev';
import { Arming, type Hit } from './arming.js';
import { Member } from './member.js';
import { nodeChildrenOf, pidsWithVariable, signal } from './processes.js';
import { serviceEnv, serviceKinds, type ServiceKind } from './service-env.js';
import { untilAborted, type Until } from './waits.js';

export type FleetPlan = {
  readonly brokers: readonly string[];
  readonly namespace: string;
  /** For logs and for arming. */
  readonly folder: string;
  /** The built program of each service. */
  readonly programs: Readonly<Record<ServiceKind, string>>;
  /** Modules with the tools. */
  readonly tools: readonly string[];
  /** `HOLDFAST_QUEUES` */
  readonly queues: Readonly<Record<string, number>>;
  /** Further variables for all services. */
  readonly env?: Readonly<Record<string, string>>;
  /** Nobody waits for it any more once aborted. */
  readonly signal?: AbortSignal;
};

export const LANES = 4;
const EACH = 2;
const FILE_VARIABLE = 'HOLDFAST_FAILPOINT_FILE';
const STOP_MS = 6_000;
const READY_MS = 90_000;
/** Asking costs the services time that they need for coming back. */
export const HEALTH_EVERY_MS = 100;

type Served = { readonly partitions?: Readonly<Record<string, readonly number[]>> };
type Held = { readonly lanes?: readonly number[]; readonly held?: readonly number[] };

/** Two of each service in a namespace of their own: when one is struck, the other is warm. */
export class Fleet {
  readonly members: readonly Member[];
  readonly arming: Arming;
  /** Waits for as long as the fleet is wanted. */
  readonly until: Until;
  private readonly kinds = new Map<Member, ServiceKind>();
  private readonly starts = new Set<Promise<void>>();
  private closed = false;

  constructor(readonly plan: FleetPlan) {
    this.until = untilAborted(plan.signal);
    mkdirSync(plan.folder, { recursive: true });
    this.arming = new Arming(join(plan.folder, `armed-${randomBytes(4).toString('hex')}`));
    this.members = serviceKinds.flatMap((kind) =>
      Array.from({ length: EACH }, (_, index) => {
        const member = new Member(this.memberPlan(kind, `${kind}-${index + 1}`));
        this.kinds.set(member, kind);
        return member;
      }),
    );
  }

  /** Rejects when it is closed meanwhile, or was not wanted any more before it began. */
  start(): Promise<void> {
    const started = this.startAll();
    this.during(started.catch(() => undefined));
    return started;
  }

  private async startAll(): Promise<void> {
    this.plan.signal?.throwIfAborted();
    process.once('exit', this.killNow);
    const [first, ...others] = this.members;
    // One makes the topics; many at once would only wait for each other.
    await first?.start();
    const started = await Promise.allSettled(others.map((member) => member.start()));
    // One that is still being started when another has failed would be closed before it is there.
    for (const one of started) if (one.status === 'rejected') throw one.reason;
  }

  /**
   * Whatever is left. Workers outlive their parents as long as they have something to say, and with a broker that is gone
   * as well, or standing still, that is for ever.
   */
  private readonly killNow = (): void => {
    for (const pid of pidsWithVariable(FILE_VARIABLE, this.arming.file)) signal(pid, 'SIGKILL');
  };

  of(kind: ServiceKind): readonly Member[] {
    return this.members.filter((member) => this.kinds.get(member) === kind);
  }

  /** Whose process came to the failpoint. */
  ownerOf({ pid, parentPid }: Hit): { readonly member: Member; readonly isWorker: boolean } {
    for (const member of this.members) {
      if (member.pids.includes(pid)) return { member, isWorker: false };
      if (member.pids.includes(parentPid)) return { member, isWorker: true };
    }
    throw new Error(`process ${pid} came to a failpoint and belongs to no service of ${this.plan.namespace}`);
  }

  /** Whether the others of its kind do all that there is to do. */
  async isTakenOver(from: Member): Promise<boolean> {
    const kind = this.kinds.get(from);
    const others = this.members.filter((member) => member !== from && this.kinds.get(member) === kind);
    const reports = await Promise.all(others.map((member) => member.health()));
    const done = new Set(
      reports.flatMap((report) => placesOf(report?.checks['lanes']?.data, report?.checks['worker']?.data)),
    );
    return done.size === (kind === 'executor' ? this.partitions : LANES);
  }

  /** Starts it again as soon as it has ended. */
  restart(member: Member): void {
    this.during(this.startAgain(member));
  }

  /** Ends one in order and starts it again: the other takes over at once. */
  handOver(member: Member): void {
    void member.stop(STOP_MS);
    this.restart(member);
  }

  /**
   * Until all of a kind are ready and one of each other: one is to be struck and one to take over, while whoever was
   * struck before may still be coming back.
   */
  async readyFor(kind: ServiceKind): Promise<void> {
    let missing: readonly string[] = [];
    const isReady = async (): Promise<boolean> => {
      const wanting = await Promise.all(serviceKinds.map((one) => this.wanting(one, one === kind ? EACH : 1)));
      missing = wanting.flat();
      return missing.length === 0;
    };
    const what = `the services of ${this.plan.namespace} are ready`;
    await this.until(what, isReady, READY_MS, HEALTH_EVERY_MS).catch((error: Error) => {
      throw new Error(`${error.message} ${missing.join('; ')}. Logs: ${this.plan.folder}`, { cause: error });
    });
  }

  /** Why fewer of a kind are ready than are wanted; empty if enough are. */
  private async wanting(kind: ServiceKind, count: number): Promise<readonly string[]> {
    const members = this.of(kind);
    const missing = (await Promise.all(members.map(unreadiness))).flatMap((reason) => reason ?? []);
    return members.length - missing.length >= count ? [] : missing;
  }

  workerPids(): readonly number[] {
    return this.of('executor').flatMap(workersOf);
  }

  /** Of executors that are ready. */
  async busyWorkerPids(): Promise<readonly number[]> {
    const executors = this.of('executor');
    const reports = await Promise.all(executors.map((member) => member.health()));
    return executors.flatMap((member, index) => (reports[index]?.ready === true ? workersOf(member) : []));
  }

  /** Ends everything at once. */
  async close(): Promise<void> {
    this.closed = true;
    process.off('exit', this.killNow);
    this.arming.disarm();
    // What is only being started has to be there before it can be killed.
    const isOver = (): boolean => {
      this.killNow();
      return this.starts.size === 0;
    };
    await eventually('nothing is being started', isOver, READY_MS);
    await Promise.all(this.members.map((member) => member.killWhole()));
  }

  private during(start: Promise<void>): void {
    this.starts.add(start);
    void start.finally(() => this.starts.delete(start));
  }

  private async startAgain(member: Member): Promise<void> {
    await member.exited;
    // One that is struck while it starts is started again by whoever struck it; `readyFor` notices any other end.
    if (!this.closed) await member.start().catch(() => undefined);
  }

  private get partitions(): number {
    return Object.values(this.plan.queues).reduce((sum, count) => sum + count, 0);
  }

  private memberPlan(kind: ServiceKind, name: string): ConstructorParameters<typeof Member>[0] {
    const { folder, programs, env = {} } = this.plan;
    return {
      name,
      main: programs[kind],
      logFile: join(folder, `${name}.log`),
      env: { ...serviceEnv({ ...this.plan, kind, name, lanes: LANES }), [FILE_VARIABLE]: this.arming.file, ...env },
    };
  }
}

const workersOf = (member: Member): readonly number[] => (member.running ? nodeChildrenOf(member.pid) : []);

/** Why it cannot work; null if it can. */
const unreadiness = async (member: Member): Promise<string | null> => {
  const report = await member.health();
  if (report?.ready === true) return null;
  const { code = null, signal = null } = member.lastExit ?? {};
  const state = member.running ? 'does not answer' : `has ended (${signal ?? code})`;
  return `${member.name}: ${report === null ? state : report.reasons.join(', ')}`;
};

/** What a service says that it does, as a list of places. */
const placesOf = (lanes: unknown, worker: unknown): readonly string[] => {
  const { lanes: led, held } = (lanes ?? {}) as Held;
  const { partitions = {} } = (worker ?? {}) as Served;
  const served = Object.entries(partitions).flatMap(([queue, numbers]) => numbers.map((one) => `${queue}/${one}`));
  return [...(led ?? held ?? []).map(String), ...served];
};
