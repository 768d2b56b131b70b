import type { MemoryCluster, MemoryLog } from '@holdfast/log';
import type { SimProcess } from '../engine/process.js';
import type { Schedule } from '../engine/schedule.js';
import { count } from '../invariants/partitions.js';
import type { Fault } from '../scenario/scenario.js';
import type { WorkerLife } from './executors.js';
import { shortOf } from './faults.js';
import type { SimSeats } from './sim-seats.js';
import type { Trace } from './trace.js';

/** One life of a process with what belongs to it. */
export type Life = {
  readonly process: SimProcess;
  readonly seats: SimSeats;
  readonly log: MemoryLog;
  /** The worker of an executor's parent. */
  worker: WorkerLife | null;
};

export type StrikesParts = {
  /** The present life of each process, by its name. */
  readonly lives: ReadonlyMap<string, Life>;
  readonly schedule: Schedule;
  readonly cluster: MemoryCluster;
  readonly trace: Trace;
  readonly claims: { readonly topic: string; readonly partitions: number };
  /** All claims are about to be gone from the log. */
  readonly claimsLost: () => void;
  readonly startAgain: (name: string) => void;
};

/** How long after a fault of a coordinator all is as before, ms. */
const TAKE_OVER_MS = 6_000;
/** How long after it can be heard again a process is a member of its groups again, ms. */
const REJOIN_MS = 300;
const DEPLOY_MS = 500;

/** Carries out faults, and makes good what they did. */
export class Strikes {
  /** Until when a coordinator is disturbed, virtual ms. */
  disturbedUntil = 0;
  /** How often each kind of fault has struck. */
  readonly struck = new Map<Fault['what'], number>();

  constructor(private readonly parts: StrikesParts) {}

  strike({ what, ms, gate, nth }: Fault, process: SimProcess): void {
    const { lives, schedule, trace } = this.parts;
    trace.note(`${process.id} ${what} at ${gate} (${nth}) for ${ms} ms`);
    const life = lives.get(process.name);
    if (life === undefined || life.process !== process) return;
    const other = this.otherThan(process);
    if (what === 'swap' && other === undefined) return;
    this.struck.set(what, (this.struck.get(what) ?? 0) + 1);
    if (process.name.startsWith('coordinator')) {
      const lastsMs = what === 'jump' ? 0 : ms;
      this.disturbedUntil = Math.max(this.disturbedUntil, schedule.now + lastsMs + TAKE_OVER_MS);
    }
    switch (what) {
      case 'kill':
        return this.kill(life, ms);
      case 'kill_machine':
        life.worker?.process.kill();
        return this.kill(life, ms);
      case 'freeze':
        return this.freeze([process], life, ms);
      case 'freeze_machine':
        return this.freeze([process, ...(life.worker === null ? [] : [life.worker.process])], life, ms);
      case 'unseat':
        life.seats.unseat();
        return schedule.after(ms, () => life.seats.rejoin());
      case 'swap':
        return this.swap(life, other ?? process, ms);
      case 'lag':
        return this.lag(life, gate.split(' ')[1] ?? '', ms);
      case 'away':
        life.log.faults.unavailable = true;
        return schedule.after(ms, () => (life.log.faults.unavailable = false));
      case 'lose':
        return this.loseClaims();
      case 'jump':
        process.offMs = ms;
    }
  }

  /** Whoever stands still goes on, whoever is cut off is heard, and the deploy of these executors is done. */
  end(deploying: readonly string[]): void {
    const { lives, schedule } = this.parts;
    for (const name of deploying) {
      const life = lives.get(name);
      if (life?.process.isAlive !== true) continue;
      life.worker?.process.kill();
      this.kill(life, DEPLOY_MS);
    }
    for (const { process, seats, log } of lives.values()) {
      process.thaw();
      log.faults.unavailable = false;
      schedule.after(REJOIN_MS, () => seats.rejoin());
    }
  }

  private kill({ process, seats, worker }: Life, ms: number): void {
    const { lives, schedule, startAgain } = this.parts;
    const parent = lives.get(process.name.replace('worker', 'executor'));
    // A worker is started again by its parent.
    if (parent !== undefined && parent.worker?.process === process) return parent.worker.gone(null);
    process.kill();
    seats.silent();
    worker?.parentLost();
    schedule.after(ms, () => startAgain(process.name));
  }

  private freeze(processes: readonly SimProcess[], { process, seats }: Life, ms: number): void {
    const { schedule, trace } = this.parts;
    for (const one of processes) one.freeze();
    // A worker is no member of any group.
    if (!process.name.startsWith('worker')) seats.silent();
    schedule.after(ms, () => {
      for (const one of processes) one.thaw();
      trace.note(`${processes.map(({ id }) => id).join(', ')} goes on`);
      schedule.after(REJOIN_MS, () => seats.rejoin());
    });
  }

  /** Another process of its kind that lives. */
  private otherThan(process: SimProcess): SimProcess | undefined {
    const role = process.name.slice(0, process.name.indexOf('-'));
    const lives = [...this.parts.lives.values()];
    return lives.map((life) => life.process).find((one) => one !== process && one.isAlive && one.name.startsWith(role));
  }

  /** Another has all its seats for a while, and both hear of it. */
  private swap({ process, seats }: Life, other: SimProcess, ms: number): void {
    seats.giveAll(other);
    // A group gives nothing to a member that is gone.
    this.parts.schedule.after(ms, () => process.isAlive && seats.giveAll(process));
  }

  private lag({ log, process }: Life, topic: string, ms: number): void {
    const { cluster, schedule } = this.parts;
    const name = cluster.names().find((known) => shortOf(known) === topic);
    const partitions = name === undefined ? [] : count(cluster.spec(name)?.partitions ?? 0);
    for (const partition of partitions) log.faults.lag(name ?? '', partition);
    schedule.after(ms, () => {
      if (process.isAlive) for (const partition of partitions) log.faults.catchUp(name ?? '', partition);
    });
  }

  private loseClaims(): void {
    const { cluster, claims, claimsLost } = this.parts;
    claimsLost();
    for (const partition of count(claims.partitions)) cluster.partition(claims.topic, partition).lose(0);
  }
}
