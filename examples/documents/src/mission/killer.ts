import { setTimeout as sleep } from 'node:timers/promises';
import { abandonedBetween } from '../office/calls.js';
import { randomOf } from '../seed.js';
import type { Fleet } from './fleet.js';
import type { PlannedKill, Victim } from './kill-schedule.js';
import { callsSince, worstMoment } from './office-client.js';
import type { Kill } from './report.js';
import { tellKill } from './story.js';

export type KillerOptions = {
  readonly schedule: readonly PlannedKill[];
  readonly fleet: Fleet;
  readonly seed: number;
  readonly say: (line: string) => void;
  /** Hears of a victim that could not be started again. */
  readonly failed: (error: Error) => void;
};

/** Dead clients' sockets are closed by the kernel at once; the office has noticed by then. */
const LOOK_AFTER_MS = 300;

/** Carries out a schedule of kills, each when its step has been seen in history. */
export class Killer {
  readonly kills: Kill[] = [];
  private next = 0;
  private readonly random;

  constructor(private readonly options: KillerOptions) {
    this.random = randomOf(options.seed, 'victims');
  }

  /**
   * To be called after every step that has succeeded. A victim that is just being started again is killed later. The
   * first kill comes at the worst moment: until it is carried out, as the returned promise says, nothing more of the
   * history must be looked at, so that the kill is at its step and not a few further on.
   */
  stepsSucceeded(count: number): Promise<void> | null {
    if (!this.isDue(count)) return null;
    if (this.next === 0) return this.killAtWorstMoment(count);
    this.killDue(count);
    return null;
  }

  private isDue(count: number): boolean {
    const planned = this.options.schedule[this.next];
    return planned !== undefined && planned.atStep <= count;
  }

  private killDue(count: number): void {
    for (let planned = this.options.schedule[this.next]; planned !== undefined && this.isDue(count);) {
      if (!this.kill(planned.victim, count)) return;
      this.next += 1;
      planned = this.options.schedule[this.next];
    }
  }

  private async killAtWorstMoment(count: number): Promise<void> {
    // An office that does not answer is no reason to spare anyone.
    await worstMoment(this.options.fleet.officeUrl).catch(() => undefined);
    this.killDue(count);
  }

  private kill(victim: Victim, atStep: number): boolean {
    const { fleet, say, failed } = this.options;
    const at = Date.now();
    const hit = fleet.kill(victim, this.random);
    if (hit === null || hit.pids.length === 0) return false;
    this.kills.push({ victim, service: hit.service, pids: hit.pids, atStep, at });
    say(tellKill(victim, hit.service, hit.pids, atStep));
    if (victim === 'worker' || victim === 'executor') void this.lookAtOffice(at);
    if (victim !== 'worker') hit.again.then(() => say(`  ${hit.service} has been started again.`), failed);
    return true;
  }

  // Whether the office answers is only of interest for the story; the report asks again at the end.
  private async lookAtOffice(at: number): Promise<void> {
    await sleep(LOOK_AFTER_MS);
    const calls = await callsSince(this.options.fleet.officeUrl, at).catch(() => []);
    const left = abandonedBetween(calls, at, at + LOOK_AFTER_MS);
    const dropped = left.filter(({ droppedAt }) => droppedAt !== null).length;
    const later = left.filter(({ appliedAt, goneAt }) => (appliedAt ?? 0) > (goneAt ?? 0)).length;
    const applied = left.length - dropped - later;
    this.options.say(
      `  Left at the office without an answer: ${left.length}, of which ${applied} were filed already, ` +
        `${later} afterwards all the same, ${dropped} never. Nobody but the office knows which.`,
    );
  }
}
