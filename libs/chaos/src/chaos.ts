import { join } from 'node:path';
import { createKafkaLog } from '@holdfast/log';
import { createClient, silentLogger, systemTimer } from '@holdfast/sdk';
import { FAILPOINTS } from '@holdfast/service/failpoint';
import type { Strictness } from './counting.js';
import { Asks } from './asks.js';
import { Fleet, LANES, type FleetPlan } from './fleet.js';
import { Histories } from './histories.js';
import { Load, type Program } from './load.js';
import { isWhole, outcomeOf, type StrikeOutcome } from './outcome.js';
import { Person } from './person.js';
import { reportOf, type Report } from './report.js';
import type { Strike } from './schedule.js';
import { Striker, type Struck } from './striker.js';
import { allInOrder } from './waits.js';
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
};

/** Histories grow: after so many strikes a fleet is replaced by one in a fresh namespace. */
const STRIKES_MAX = 120;
const TRIES_MAX = 3;
const TROUBLES_MAX = 5;

/**
 * Carries out the strikes with runs under way, and counts what became of their effects. Once `signal` is aborted nobody
 * is struck any more, and what has ended is counted.
 */
export const runChaos = async (plan: ChaosPlan): Promise<Report> => {
  const running = new Chaos(plan);
  const before = new Set(await plan.witness.keys());
  const ended = await Promise.allSettled(Array.from({ length: plan.fleets }, () => running.strikeOn()));
  for (const one of ended) if (one.status === 'rejected') running.failedWith(one.reason);
  const { strikes, workload } = plan;
  const { outcomes, defects, troubles } = running;
  const strangers = await running.strangers(before).catch((error: unknown) => {
    running.failedWith(error);
    return [];
  });
  return reportOf({ outcomes, strikes, programs: workload.map(({ name }) => name), defects, troubles, strangers });
};

type Tried = { readonly strike: Strike; readonly tries: number };

class Chaos {
  readonly outcomes: StrikeOutcome[] = [];
  readonly defects: string[] = [];
  readonly troubles: string[] = [];
  private readonly open: Tried[];
  private readonly keys = new Set<string>();
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
      if (!this.aborted) throw error;
    }
  }

  /** What was counted so far is told with it; if that is nothing, it is all that there is to tell. */
  failedWith(error: unknown): void {
    if (this.outcomes.length === 0) throw error;
    this.trouble(`a set of services failed: ${(error as Error).message}`);
  }

  /** Keys of effects that no step had. What was aborted may have made some that nobody read about. */
  async strangers(before: ReadonlySet<string>): Promise<readonly string[]> {
    if (this.aborted) return [];
    return (await this.plan.witness.keys()).filter((key) => !before.has(key) && !this.keys.has(key));
  }

  /** Starting is what costs most: one fleet at a time. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.starting.then(work);
    this.starting = turn.catch(() => undefined);
    return turn;
  }

  private mayGoOn(): boolean {
    return !this.failed && performance.now() - this.startedAt < this.plan.msMax && !this.aborted;
  }

  private get aborted(): boolean {
    return this.plan.signal?.aborted === true;
  }

  private async withFleet(): Promise<void> {
    const struck: Struck[] = [];
    try {
      await this.strikeOneFleet(struck);
    } finally {
      await this.count(struck);
    }
  }

  private async strikeOneFleet(struck: Struck[]): Promise<void> {
    const { plan } = this;
    this.fleets += 1;
    const namespace = plan.namespaceOf(this.fleets);
    const fleet = new Fleet({ ...plan, namespace, folder: join(plan.folder, namespace) });
    const log = createKafkaLog({ brokers: plan.brokers, clientId: `${namespace}.chaos`, logger: silentLogger });
    const client = createClient({ log, namespace, lanes: LANES });
    const asks = new Asks();
    const person = new Person(client, plan.witness, asks);
    const histories = new Histories({ log, namespace, asked: person.asked.bind(person) });
    const load = new Load({ client, asks, log, namespace, histories, programs: plan.workload });
    const abandon = (): void => asks.beside(fleet.close());
    plan.signal?.addEventListener('abort', abandon);
    try {
      await this.inTurn(() => fleet.start());
      histories.follow(LANES);
      const striker = new Striker(fleet, load);
      await (this.rehearsal ??= striker.rehearse());
      await this.strikeWith(striker, struck);
    } finally {
      plan.signal?.removeEventListener('abort', abandon);
      asks.stop();
      // A client that is closed ends what waits for an answer.
      const closes = [() => fleet.close(), () => client.close(), () => asks.settled()];
      await allInOrder([...closes, () => histories.close(), () => log.close()]);
      for (const key of histories.keys()) this.keys.add(key);
      if (histories.defect !== null) this.defects.push(histories.defect);
    }
  }

  private async strikeWith(striker: Striker, struck: Struck[]): Promise<void> {
    const programs = this.plan.workload.map(({ name }) => name);
    while (struck.length < STRIKES_MAX && this.mayGoOn()) {
      const tried = this.open.shift();
      if (tried === undefined) return;
      const one = await striker.strike(tried.strike);
      struck.push(one);
      if (this.aborted) return;
      if (one.jam !== null) return this.jammed(tried, one.jam);
      if (isWhole(one, programs)) this.done += 1;
      else if (tried.tries < TRIES_MAX) this.open.push({ ...tried, tries: tried.tries + 1 });
      this.tell(one);
    }
  }

  /** Another fleet takes the place of this one, but not for ever. */
  private jammed(tried: Tried, jam: string): void {
    const { point, action } = tried.strike;
    this.open.push(tried);
    this.trouble(`${point} ${action}: ${jam}`);
    if (this.troubles.length <= TROUBLES_MAX) return;
    this.failed = true;
    this.trouble(`given up, with ${this.open.length} strikes left`);
  }

  private trouble(what: string): void {
    this.troubles.push(what);
    this.plan.say(`TROUBLE ${what}`);
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
