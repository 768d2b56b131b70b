import { join } from 'node:path';
import { createKafkaLog } from '@holdfast/log';
import { createClient, silentLogger, systemTimer } from '@holdfast/sdk';
import { FAILPOINTS } from '@holdfast/service/failpoint';
import type { Strictness } from './counting.js';
import { Fleet, LANES, type FleetPlan } from './fleet.js';
import { Histories } from './histories.js';
import { Load, type Program } from './load.js';
import { isWhole, outcomeOf, type StrikeOutcome } from './outcome.js';
import { Person } from './person.js';
import { reportOf, type Report } from './report.js';
import type { Strike } from './schedule.js';
import { Striker, type Struck } from './striker.js';
import type { Witness } from './witness.js';

export type ChaosPlan = Omit<FleetPlan, 'namespace'> & {
  /** Of each fleet, from 1; must be fresh. */
  readonly namespaceOf: (fleet: number) => string;
  readonly strikes: readonly Strike[];
  readonly workload: readonly Program[];
  readonly witness: Witness;
  readonly strictness: Strictness;
  /** How long after the last word an effect may still land, ms. */
  readonly settleMs: number;
  /** Fleets side by side. */
  readonly fleets: number;
  /** No strike begins after so many ms. */
  readonly msMax: number;
  readonly say: (line: string) => void;
  /** Strikes nobody any more once aborted. */
  readonly signal?: AbortSignal;
};

/** Histories grow: after so many strikes a fleet is replaced by one in a fresh namespace. */
const STRIKES_MAX = 120;
const TRIES_MAX = 3;
const TROUBLES_MAX = 5;

/** Carries out the strikes with runs under way, and counts what became of their effects. */
export const runChaos = async (plan: ChaosPlan): Promise<Report> => {
  const running = new Chaos(plan);
  const ended = await Promise.allSettled(Array.from({ length: plan.fleets }, () => running.strikeOn()));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  const { strikes, workload } = plan;
  const { outcomes, defects, troubles } = running;
  return reportOf({ outcomes, strikes, programs: workload.map(({ name }) => name), defects, troubles });
};

type Tried = { readonly strike: Strike; readonly tries: number };

class Chaos {
  readonly outcomes: StrikeOutcome[] = [];
  readonly defects: string[] = [];
  readonly troubles: string[] = [];
  private readonly open: Tried[];
  private readonly startedAt = performance.now();
  private fleets = 0;
  private failed = false;
  private rehearsal: Promise<void> | null = null;
  private starting: Promise<void> = Promise.resolve();
  private done = 0;

  constructor(private readonly plan: ChaosPlan) {
    this.open = plan.strikes.map((strike) => ({ strike, tries: 1 }));
  }

  /** With one fleet after the other, until nothing is left to strike. */
  async strikeOn(): Promise<void> {
    try {
      while (this.open.length > 0 && this.mayGoOn()) await this.withFleet();
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  /** Starting is what costs most: one fleet at a time. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.starting.then(work);
    this.starting = turn.catch(() => undefined);
    return turn;
  }

  private mayGoOn(): boolean {
    return !this.failed && performance.now() - this.startedAt < this.plan.msMax && this.plan.signal?.aborted !== true;
  }

  private async withFleet(): Promise<void> {
    const { plan } = this;
    this.fleets += 1;
    const namespace = plan.namespaceOf(this.fleets);
    const fleet = new Fleet({ ...plan, namespace, folder: join(plan.folder, namespace) });
    const log = createKafkaLog({ brokers: plan.brokers, clientId: `${namespace}.chaos`, logger: silentLogger });
    const client = createClient({ log, namespace, lanes: LANES });
    const person = new Person(client, plan.witness);
    const asked = person.asked.bind(person);
    const histories = new Histories({ log, namespace, asked });
    const load = new Load({ client, log, namespace, histories, programs: plan.workload });
    const struck: Struck[] = [];
    try {
      await this.inTurn(() => fleet.start());
      histories.follow(LANES);
      const striker = new Striker(fleet, load);
      await (this.rehearsal ??= striker.rehearse());
      await this.strikeWith(striker, struck);
    } finally {
      load.stop();
      await fleet.close();
      await person.stop();
      await histories.close();
      await client.close();
      await log.close();
    }
    if (histories.defect !== null) this.defects.push(histories.defect);
    await this.count(struck);
  }

  private async strikeWith(striker: Striker, struck: Struck[]): Promise<void> {
    const programs = this.plan.workload.map(({ name }) => name);
    while (struck.length < STRIKES_MAX && this.mayGoOn()) {
      const tried = this.open.shift();
      if (tried === undefined) return;
      const one = await this.tryTo(striker, tried.strike);
      if (one === null) return void this.open.push(tried);
      struck.push(one);
      if (isWhole(one, programs)) this.done += 1;
      else if (tried.tries < TRIES_MAX) this.open.push({ ...tried, tries: tried.tries + 1 });
      this.tell(one);
    }
  }

  /** Null where the fleet cannot go on: another takes its place, but not for ever. */
  private async tryTo(striker: Striker, strike: Strike): Promise<Struck | null> {
    try {
      return await striker.strike(strike);
    } catch (error) {
      const { message } = error as Error;
      this.troubles.push(`${strike.point} ${strike.action}: ${message}`);
      this.plan.say(`TROUBLE ${this.troubles.at(-1)}`);
      if (this.troubles.length > TROUBLES_MAX) throw error;
      return null;
    }
  }

  private async count(struck: readonly Struck[]): Promise<void> {
    const { witness, strictness, settleMs } = this.plan;
    // Calls of killed workers may still land: what is counted must be all that will ever be there.
    await new Promise<void>((resolve) => void systemTimer.after(settleMs, resolve));
    const steps = struck.flatMap(({ runs }) => runs.flatMap((run) => [...run.steps.values()]));
    const counts = await witness.count(steps);
    this.outcomes.push(...struck.map((one) => outcomeOf(one, counts, strictness)));
  }

  private tell({ strike, hitAt, runs }: Struck): void {
    const { point, action } = strike;
    const seconds = Math.round((performance.now() - this.startedAt) / 1_000);
    const what =
      hitAt === null
        ? 'nobody came to'
        : `${action === 'kill' ? 'killed' : 'froze'} the ${FAILPOINTS[point].process} at`;
    const under = hitAt === null ? [] : runs.filter((run) => run.isUnderWay(hitAt));
    const recovered = hitAt === null ? [] : under.map((run) => (run.progressAfter(hitAt) ?? Number.NaN) - hitAt);
    const slowest = recovered.length === 0 ? '' : `, all going on after ${Math.max(...recovered)} ms`;
    const open = runs.filter(({ ended }) => ended === null).length;
    const left = open === 0 ? '' : `, ${open} runs have not ended`;
    this.plan.say(
      `${seconds} s  ${this.done}/${this.plan.strikes.length}  ${what} ${point}: ${under.length} runs under way${slowest}${left}`,
    );
  }
}
