import { randomBytes } from 'node:crypto';
import { eventually } from '@holdfast/dev';
import { FAILPOINTS } from '@holdfast/service/failpoint';
import type { Hit } from './arming.js';
import { HEALTH_EVERY_MS, type Fleet, type ServiceKind } from './fleet.js';
import { Incitement } from './incitement.js';
import type { Member } from './member.js';
import type { Strike } from './schedule.js';
import { signal } from './processes.js';
import type { TrackedRun } from './tracked-run.js';
import type { Load } from './load.js';

/** What came of one strike. */
export type Struck = {
  readonly strike: Strike;
  /** When the process was ended or frozen, epoch ms; null: nobody came to the failpoint. */
  readonly hitAt: number | null;
  readonly runs: readonly TrackedRun[];
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

  async strike(strike: Strike): Promise<Struck> {
    const { fleet, load } = this;
    const name = `${strike.id}-${randomBytes(3).toString('hex')}`;
    await fleet.readyFor(kindOf(strike));
    load.begin(name);
    await eventually(`runs are under way (${fleet.plan.folder})`, () => load.isUnderWay(), END_MS);
    const incitement = new Incitement(fleet, load, strike.point);
    fleet.arming.arm(strike);
    const hit = await this.waitForHit(incitement);
    fleet.arming.disarm();
    incitement.end();
    load.end();
    if (hit !== null) await this.carryOut(strike, hit);
    await this.untilEnded(load.runs);
    return { strike, hitAt: hit?.at ?? null, runs: load.take() };
  }

  private async waitForHit(incitement: Incitement): Promise<Hit | null> {
    const { fleet, load } = this;
    const deadline = performance.now() + HIT_MS;
    return eventually(
      'a process comes to the failpoint',
      () => {
        const hit = fleet.arming.hit();
        if (hit !== null) return { hit };
        if (performance.now() > deadline) return { hit: null };
        load.goOn();
        incitement.goOn();
        return null;
      },
      2 * HIT_MS,
    ).then(({ hit: found }) => found);
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
    await eventually(what, () => this.fleet.isTakenOver(member), TAKE_OVER_MS, HEALTH_EVERY_MS);
  }

  /** A run that does not end in time is told by its own record. */
  private async untilEnded(runs: readonly TrackedRun[]): Promise<void> {
    const deadline = performance.now() + END_MS;
    await eventually(
      'the runs end',
      () => runs.every(({ ended, refused }) => ended !== null || refused !== null) || performance.now() > deadline,
      2 * END_MS,
    );
  }
}
