import { lanePlan, queuePlan, topicNames, type TopicNames } from '@holdfast/contracts';
import type { ReplayPolicy } from '@holdfast/events';
import type { ModelRequest } from '@holdfast/programs';
import { MemoryCluster, MemoryGroups, type MemoryLog } from '@holdfast/log';
import { MemoryStore } from '../../../apps/gateway/src/store/memory-store.js';
import { Dice } from '../engine/dice.js';
import { EPOCH, SimProcess } from '../engine/process.js';
import { Schedule, settled } from '../engine/schedule.js';
import { Checks } from '../invariants/checks.js';
import { count } from '../invariants/partitions.js';
import { rowsAtRest, rowsEqualRebuild } from '../invariants/rows.js';
import type { AllRules } from '../rules.js';
import { QUIET_FROM_MS, type Scenario } from '../scenario/scenario.js';
import { Client } from './client.js';
import { channel } from './executors.js';
import { Faults, shortOf } from './faults.js';
import { Office } from './office.js';
import { startGateway } from './gateways.js';
import { offerTools, startCoordinator, startParent, startReconciler, startWorker } from './processes.js';
import type { Surroundings } from './processes.js';
import { Saboteur } from './saboteur.js';
import { simLog } from './sim-log.js';
import { SimSeats } from './sim-seats.js';
import { Strikes, type Life } from './strikes.js';
import { simTools } from './tools.js';
import { Trace } from './trace.js';

/** How long everybody goes on after the last run has ended: longer than a call with its settle window. Ms. */
const REST_MS = 6_000;

/** How long it may take after the last fault until every run has ended, ms. */
export const ENDS_WITHIN_MS = 90_000;

type Coordinator = ReturnType<typeof startCoordinator>;

/** All services as they ship, their log and the world outside, in one process and in virtual time. */
export class World {
  readonly schedule = new Schedule();
  readonly dice: Dice;
  readonly names: TopicNames = topicNames('s');
  readonly cluster = new MemoryCluster({ now: () => Math.round(EPOCH + this.schedule.now) });
  readonly groups = new MemoryGroups(this.cluster);
  readonly faults: Faults;
  readonly trace = new Trace(() => this.schedule.now);
  readonly office: Office;
  readonly checks: Checks;
  readonly client: Client;
  readonly saboteur: Saboteur;
  readonly coordinators = new Map<string, Coordinator>();
  private readonly rows: MemoryStore;
  private readonly lives = new Map<string, Life>();
  private readonly counts = new Map<string, number>();
  /** Sessions that were ever opened for the process of a worker. */
  private readonly sessions = new Map<SimProcess, ReadonlySet<string>>();
  private readonly strikes: Strikes;
  private doneAt: number | null = null;
  private isQuiet = false;
  private hasLast = false;

  constructor(
    readonly scenario: Scenario,
    readonly rules: AllRules,
  ) {
    const { names, cluster, schedule, trace } = this;
    this.dice = new Dice(scenario.seed);
    this.rows = new MemoryStore(rules.gateway);
    for (const plan of lanePlan(names, scenario.lanes)) cluster.create(plan);
    for (const plan of queuePlan(names, 'default', scenario.partitions)) cluster.create(plan);
    this.faults = new Faults(scenario);
    this.office = new Office({
      schedule,
      dice: this.dice,
      trouble: scenario.trouble,
      keyTtlMs: scenario.keyTtlMs,
      sent: (sent) => this.checks.sent(sent),
      applied: (entry, times) => this.checks.applied(entry, times),
    });
    this.checks = new Checks({
      cluster,
      names,
      scenario,
      trace,
      office: this.office,
      sessionsOf: (process) => this.sessions.get(process) ?? new Set(),
      now: () => schedule.now,
      disturbedUntil: () => this.strikes.disturbedUntil,
    });
    this.saboteur = new Saboteur({
      cluster,
      names,
      lanes: scenario.lanes,
      spoils: scenario.spoils,
      after: (ms, work) => schedule.after(ms, work),
      note: (text) => trace.note(text),
    });
    this.client = new Client(this);
    this.strikes = new Strikes({
      lives: this.lives,
      schedule,
      cluster,
      trace,
      claims: { topic: names.claims('default'), partitions: scenario.partitions },
      claimsLost: () => this.checks.claimsLost(),
      startAgain: (name) => this.spawn(name),
    });
  }

  /** How often each kind of fault has struck. */
  get struck(): ReadonlyMap<string, number> {
    return this.strikes.struck;
  }

  /** Lets everything happen until all runs have ended, a check has failed, or it takes too long. */
  async run(): Promise<void> {
    const { schedule, scenario, checks } = this;
    offerTools(this.cluster, this.names, simTools(this.toolsParts(this.newProcess('nobody'))));
    const names = rolesOf(scenario);
    for (const name of names) schedule.after(this.dice.between(`start ${name}`, 0, 300), () => this.spawn(name));
    this.client.begin();
    schedule.after(QUIET_FROM_MS, () => this.quiet());
    for (const at of scenario.rebuilds) schedule.after(at, () => this.rows.rebuild());
    while (checks.violation === null && schedule.now < QUIET_FROM_MS + ENDS_WITHIN_MS) {
      if (!schedule.step()) break;
      await settled();
      if (this.isOver()) break;
    }
    checks.end(this.coordinators.values(), (violated) => {
      if (scenario.gateways > 0) rowsEqualRebuild(this.projected, violated);
    });
  }

  /** All runs have ended, whoever slept has had time to act on what it knew, and every lane takes and ends another run. */
  private isOver(): boolean {
    if (this.doneAt === null) {
      if (!this.client.isDone()) return false;
      this.doneAt = this.schedule.now;
      this.quiet();
    }
    if (this.schedule.now < this.doneAt + REST_MS || !this.office.isIdle) return false;
    if (!this.hasLast) {
      this.hasLast = true;
      this.client.submitLast();
    }
    const isAtRest = this.client.isLastDone && this.checks.isAtRest(this.coordinators.values());
    return isAtRest && (this.scenario.gateways === 0 || rowsAtRest(this.projected));
  }

  private spawn(name: string): void {
    const process = this.newProcess(name);
    const seats = new SimSeats(process, this.groups, {
      schedule: this.schedule,
      dice: this.dice,
      seatsOf: this.seatsOf,
    });
    const log = this.newLog(process);
    const life: Life = { process, seats, log, worker: null };
    this.lives.set(name, life);
    const around = this.around(process, log, seats);
    if (name.startsWith('coordinator')) this.coordinators.set(process.id, startCoordinator(around));
    else if (name.startsWith('gateway')) this.startGateway(around);
    else if (name.startsWith('reconciler')) startReconciler(around, simTools(this.toolsParts(process)));
    else this.startExecutor(name, life, around);
  }

  private startGateway(around: Surroundings): void {
    const { schedule, dice, rows, scenario } = this;
    startGateway(around, { schedule, dice, rows, away: () => (this.isQuiet ? 0 : scenario.databaseAway) });
  }

  private get projected() {
    const { cluster, names, rows, scenario } = this;
    return { cluster, names, lanes: scenario.lanes, rows };
  }

  private startExecutor(name: string, life: Life, around: Surroundings): void {
    const workerName = name.replace('executor', 'worker');
    startParent(
      around,
      channel(
        life.process,
        (lines, started) => {
          const process = this.newProcess(workerName);
          const log = this.newLog(process);
          const tools = simTools(this.toolsParts(process));
          this.lives.set(workerName, { process, seats: life.seats, log, worker: null });
          process.after(20, 'start', () => started(startWorker({ ...around, process, log }, tools, lines)));
          return process;
        },
        (worker) => {
          life.worker = worker;
          this.sessions.set(worker.process, worker.sessions);
        },
      ),
    );
  }

  private quiet(): void {
    if (this.isQuiet) return;
    this.isQuiet = true;
    this.faults.end();
    this.trace.note('no more faults');
    this.strikes.end(Object.keys(this.scenario.lacks));
  }

  private newProcess(name: string): SimProcess {
    const life = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, life);
    const gate = (process: SimProcess, at: string): void => {
      for (const fault of this.faults.at(process.name, at)) this.strikes.strike(fault, process);
    };
    const died = (process: SimProcess): void => {
      this.office.processDied(process);
      const coordinator = this.coordinators.get(process.id);
      if (coordinator !== undefined) this.checks.leaves(coordinator);
      this.coordinators.delete(process.id);
    };
    const process = new SimProcess({ schedule: this.schedule, dice: this.dice, gate, died }, name, `${name}#${life}`);
    process.offMs = this.scenario.offMs[name.replace('worker', 'executor')] ?? 0;
    return process;
  }

  private newLog(process: SimProcess): MemoryLog {
    const { cluster, schedule, faults } = this;
    return simLog(process, {
      cluster,
      schedule,
      faults,
      latency: ({ name }, gate) => this.latency(name, gate),
      lost: ({ id }, topic, fate) => this.trace.note(`an append of ${id} to ${shortOf(topic)}: ${fate}`),
    });
  }

  private readonly seatsOf = (topic: string): readonly number[] => count(this.cluster.spec(topic)?.partitions ?? 0);

  private latency(name: string, gate: string): number {
    const { scenario, dice } = this;
    const { slowGate, slowOften, slowMs } = scenario;
    const maySlow = !this.isQuiet && (slowGate === null || slowGate === gate);
    if (!maySlow || !dice.chance(`${name} ${gate} slow`, slowOften)) return 2;
    return dice.between(`${name} ${gate} takes`, 20, slowMs);
  }

  private around(process: SimProcess, log: MemoryLog, { seats }: SimSeats): Surroundings {
    const { names, rules, scenario } = this;
    const fatal = (error: unknown): void => this.checks.gaveUp(process.id, error);
    const { lanes, concurrency, snapshotEvents } = scenario;
    return { process, log, seats, names, lanes, concurrency, snapshotEvents, rules, fatal };
  }

  private toolsParts(process: SimProcess) {
    const { office, dice, scenario } = this;
    const { trouble, slowCalls, keyTtlMs, timeoutMs } = scenario;
    const lacking = this.isQuiet ? {} : scenario.lacks;
    const lacks = lacking[process.name.replace('worker', 'executor')] ?? [];
    const begins = (id: string, policy: ReplayPolicy, running: number): void =>
      this.checks.calls.begins({ process, id, policy, running });
    const thinks = (id: string, request: ModelRequest): void => this.checks.calls.thinks(id, request);
    return { office, dice, process, trouble, slowCalls, keyTtlMs, timeoutMs, lacks, begins, thinks };
  }
}

const rolesOf = ({ coordinators, executors, reconcilers, gateways }: Scenario): readonly string[] => [
  ...named('coordinator', coordinators),
  ...named('executor', executors),
  ...named('reconciler', reconcilers),
  ...named('gateway', gateways),
];

const named = (role: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${role}-${index + 1}`);
