import { randomBytes } from 'node:crypto';
import { FAILPOINTS } from '@holdfast/service/failpoint';
import type { Hit } from './arming.js';
import { HEALTH_EVERY_MS, type Fleet } from './fleet.js';
import { Incitement } from './incitement.js';
import type { Member } from './member.js';
import type { Strike } from './schedule.js';
import { signal } from './processes.js';
import type { ServiceKind } from './service-env.js';
import type { TrackedRun } from './tracked-run.js';
import type { Load } from './load.js';

/** What came of one strike. */
export type Struck = {
  readonly strike: Strike;
  /** When the process was ended or frozen, epoch ms; null: nobody came to the failpoint. */
  readonly hitAt: number | null;
  readonly runs: readonly TrackedRun[];
  /** What was waited for in vain, so that the fleet cannot go on; null: nothing. */
  readonly jam: string | null;
};

const HIT_MS = 30_000;
const TAKE_OVER_MS = 30_000;
const END_MS = 90_000;

const kindOf = ({ point }: Strike): ServiceKind => {
  const { process } = FAILPOINTS[point];
  return process === 'worker' ? 'executor' : process;
};

/** Strikes one process after the other in one fleet, with runs under way. */
export class Striker {
  constructor(
    private readonly fleet: Fleet,
    private readonly load: Load,
  ) {}

  /** Runs everything once without a strike. Throws when that alone does not succeed. */
  async rehearse(): Promise<void> {
    const { load } = this;
    load.begin('rehearsal');
    load.end();
    await this.untilEnded(load.runs);
    for (const { program, ended, refused } of load.take()) {
      if (refused !== null) throw new Error(refused);
      if (ended?.reason === 'succeeded') continue;
      throw new Error(`without any strike ${program} does not succeed: ${ended?.reason ?? 'it has not ended in time'}`);
    }
  }

  /** Its runs are handed over also where the fleet is jammed. Of an aborted strike those that have ended are. */
  async strike(strike: Strike): Promise<Struck> {
    const { fleet, load } = this;
    let hit: Hit | null = null;
    let jam: string | null = null;
    try {
      hit = await this.hitUnderWay(strike);
      if (hit !== null) await this.carryOut(strike, hit);
    } catch (error) {
      jam = (error as Error).message;
    }
    load.end();
    await this.untilEnded(load.runs);
    const runs = load.take();
    const aborted = fleet.plan.signal?.aborted === true;
    return { strike, hitAt: hit?.at ?? null, runs: aborted ? runs.filter(({ ended }) => ended !== null) : runs, jam };
  }

  /** Arms the fleet with runs under way, until a process has come to the failpoint, or none in time. */
  private async hitUnderWay(strike: Strike): Promise<Hit | null> {
    const { fleet, load } = this;
    await fleet.readyFor(kindOf(strike));
    load.begin(`${strike.id}-${randomBytes(3).toString('hex')}`);
    await fleet.until(`runs are under way (${fleet.plan.folder})`, () => load.isUnderWay(), END_MS);
    const incitement = new Incitement(fleet, load, strike.point);
    fleet.arming.arm(strike);
    try {
      return (await this.hitInTime(incitement)) ?? fleet.arming.withdraw();
    } finally {
      fleet.arming.disarm();
      incitement.end();
      load.end();
    }
  }

  private async hitInTime(incitement: Incitement): Promise<Hit | null> {
    const { fleet, load } = this;
    const deadline = performance.now() + HIT_MS;
    const { hit } = await fleet.until(
      'a process comes to the failpoint',
      () => {
        const found = fleet.arming.hit();
        if (found !== null || performance.now() > deadline) return { hit: found };
        load.goOn();
        incitement.goOn();
        return null;
      },
      2 * HIT_MS,
    );
    return hit;
  }

  private async carryOut(strike: Strike, hit: Hit): Promise<void> {
    const { member, isWorker } = this.fleet.ownerOf(hit);
    const isPresent = (isWorker ? hit.parentPid : hit.pid) === member.pid;
    if (strike.action === 'kill') {
      // Its parent starts another worker; all others are started again from here.
      if (!isWorker && isPresent) this.fleet.restart(member);
      return;
    }
    // A worker that stands still while its parent does not is a hung tool; a machine that stands still stops both.
    if (isWorker && isPresent) member.freeze();
    await this.takenOver(member, strike);
    if (!isPresent) return signal(hit.pid, 'SIGKILL');
    if (strike.after === 'wake') return member.thaw();
    await member.killWhole();
    this.fleet.restart(member);
  }

  private async takenOver(member: Member, { point }: Strike): Promise<void> {
    const what = `the others take over from ${member.name}, which stands still at ${point} (${FAILPOINTS[point].process})`;
    await this.fleet.until(what, () => this.fleet.isTakenOver(member), TAKE_OVER_MS, HEALTH_EVERY_MS);
  }

  /** A run that does not end in time is told by its own record. */
  private async untilEnded(runs: readonly TrackedRun[]): Promise<void> {
    const isOver = (): boolean => runs.every(({ ended, refused }) => ended !== null || refused !== null);
    await this.fleet.until('the runs end', isOver, END_MS).catch(() => undefined);
  }
}
