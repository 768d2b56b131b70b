import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openKafka, repositoryRoot, type Exit, type OpenedKafka } from '@holdfast/dev';
import type { Answer } from '@holdfast/sdk';
import pc from 'picocolors';
import { listDocuments, type Listing } from '../documents/listing.js';
import { readLedger, type LedgerLine } from '../office/ledger.js';
import type { MissionOptions } from '../options.js';
import { missionPlan, STEPS_PER_DOCUMENT } from '../plan.js';
import { attachedFleet, linesSince } from './attached.js';
import { Canceller } from './canceller.js';
import { createDisplay, type Display } from './display.js';
import { prepareFiles, writeLedger, writeReport, type MissionFiles } from './files.js';
import { startFleet, type Fleet } from './fleet.js';
import { openHistory, type History } from './history.js';
import { openConsole, type MissionConsole } from './mission-console.js';
import { scheduleKills } from './kill-schedule.js';
import { Killer } from './killer.js';
import { callsSince, untilQuiet } from './office-client.js';
import { reportOf, type Report } from './report.js';
import { Stalled, waitsFor, watchForStall } from './stall.js';
import { tell, tellHold, tellRelease } from './story.js';
import { count, isHeld, newTally, type Fact, type Tally } from './tally.js';

/** A finished mission. `stop` ends everything that was started for it. */
export type Finished = { readonly report: Report; readonly brokers: readonly string[]; readonly namespace: string };

/** What is open while a mission runs, to be closed in the other order. */
type Closing = (() => Promise<void>)[];

/** What the mission does to its run and to its services. */
type Hands = { readonly killer: Killer; readonly canceller: Canceller | null };
type Followed = Hands & { readonly submittedAt: number; readonly runId: string };

const SAY_AGAIN_MS = 10_000;
const QUIET_MS = 300;
const QUIET_MS_MAX = 8_000;

/** One mission from its first process to its report. `stop` may be called at any time, also in the middle. */
export class Mission {
  private readonly steps: number;
  private readonly display: Display;
  private readonly files: MissionFiles;
  private readonly closing: Closing = [];
  private readonly tally: Tally = newTally();
  private readonly saidAt = new Map<string, number>();
  private console: Promise<MissionConsole> | null = null;
  private fail: (error: Error) => void = () => undefined;
  private readonly failure: Promise<never>;

  constructor(private readonly options: MissionOptions) {
    this.steps = options.count * STEPS_PER_DOCUMENT;
    this.display = createDisplay(this.steps);
    this.files = prepareFiles(new Date(), options);
    this.failure = new Promise<never>((_, reject) => (this.fail = reject));
    // Seen wherever it is raced; when nothing races it any more it is of no interest.
    this.failure.catch(() => undefined);
  }

  /** The folder with the logs of all services. */
  get folder(): string {
    return this.files.folder;
  }

  async run(): Promise<Finished> {
    return Promise.race([this.work(), this.failure]).finally(() => this.display.close());
  }

  /** The page of a mission that is over, in the operator's console; opens that where it is not open yet. */
  async explore({ report, brokers, namespace }: Finished): Promise<string> {
    this.console ??= this.openConsole(brokers, namespace);
    return (await this.console).pageOf(report.runId);
  }

  /** Ends everything, the latest started first. */
  async stop(): Promise<void> {
    this.display.close();
    while (this.closing.length > 0) {
      const close = this.closing.pop();
      await close?.().catch((error: Error) => console.error(`While stopping: ${error.message}`));
    }
  }

  private async work(): Promise<Finished> {
    const listing = await this.chooseDocuments();
    const kafka = await this.startKafka();
    const isUsual = kafka.owned || this.options.office !== null;
    const namespace = process.env['HOLDFAST_NAMESPACE'] ?? (isUsual ? 'holdfast' : `mission-${Date.now()}`);
    const fleet = await this.startServices(kafka, namespace, listing);
    if (this.options.keep)
      this.say(`To watch it: ${(await (this.console = this.openConsole(kafka.brokers, namespace))).url}`);
    const history = openHistory({ brokers: kafka.brokers, namespace });
    this.closing.push(() => history.close());
    const followed = await this.follow(history, fleet, listing);
    const report = await this.report(fleet, listing, followed);
    return { report, brokers: kafka.brokers, namespace };
  }

  private async chooseDocuments(): Promise<Listing> {
    const { count, documents } = this.options;
    const root = documents === null ? join(repositoryRoot, 'node_modules') : resolve(documents);
    const listing = await listDocuments(root, count);
    const others = count - listing.prose;
    const kinds =
      others === 0 ? '' : ` (${listing.prose} Markdown, licence and text files, ${others} other text files)`;
    this.say(`${pc.bold(`${count} documents`)} under ${root}${kinds}: each is read, summarised and filed.`);
    if (this.options.model !== null) this.say(`Summaries are written by ${this.options.model}.`);
    if (this.options.unsafe !== null) {
      this.say(pc.red('Unsafe, as a control: what is lost is repeated without asking. Expect documents filed twice.'));
    }
    if (this.files.movedAside !== null) this.say(`An older ledger is kept as ${this.files.movedAside}`);
    return listing;
  }

  private async startKafka(): Promise<OpenedKafka> {
    if (this.options.office !== null && (process.env['KAFKA_BROKERS'] ?? '').trim() === '')
      throw new Error('--office needs KAFKA_BROKERS: the brokers that the services use');
    const kafka = await openKafka({ nodes: this.options.brokers });
    this.closing.push(() => kafka.stop());
    this.say(`Kafka ${kafka.owned ? 'has been started' : 'is used'} at ${kafka.brokers.join(', ')}`);
    return kafka;
  }

  private async startServices(kafka: OpenedKafka, namespace: string, listing: Listing): Promise<Fleet> {
    const { executors, coordinators, seed, unsafe, office, model } = this.options;
    if (office !== null) return attachedFleet(office);
    const { folder, ledger } = this.files;
    const module = unsafe === null ? 'tools.js' : 'unsafe-tools.js';
    const toolsModule = join(import.meta.dirname, '..', module);
    const plan = { executors, coordinators, toolsModule, ledger, seed, folder, model, documentsRoot: listing.root };
    // Heard of first, so that services are also stopped when the start fails half-way.
    const started = startFleet({ ...plan, brokers: kafka.brokers, namespace }, (name, exit) => this.lost(name, exit));
    this.closing.push(async () => started.then((fleet) => fleet.stop()).catch(() => undefined));
    const fleet = await started;
    this.say(`Running, each in a process of its own: ${fleet.names.join(', ')}. Their logs: ${folder}`);
    return fleet;
  }

  private openConsole(brokers: readonly string[], namespace: string): Promise<MissionConsole> {
    const plan = { brokers, namespace, folder: this.files.folder };
    const opened = openConsole(plan, (name, exit) => this.lost(name, exit));
    this.closing.push(async () => opened.then((open) => open.stop()).catch(() => undefined));
    return opened;
  }

  private lost(name: string, { code, signal }: Exit): void {
    this.fail(new Error(`${name} ended by itself (${signal ?? code}); its log is in ${this.files.folder}`));
  }

  private async follow(history: History, fleet: Fleet, listing: Listing): Promise<Followed> {
    const runId = `documents-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
    const killer = this.killer(fleet);
    const canceller = this.canceller(fleet, () => history.cancel(runId, this.options.cancel?.withinMs ?? 0));
    const stall = watchForStall(this.options.patienceMs, () => this.fail(this.stalled()));
    this.closing.push(async () => stall.stop());
    const submittedAt = Date.now();
    const see = (fact: Fact): Promise<void> | null => {
      stall.note();
      return this.see(fact, { killer, canceller }, listing);
    };
    const order = { runId, program: await missionPlan(this.options.model), input: { documents: listing.documents } };
    await history.run(order, see, async () => {
      stall.stop();
      await canceller?.settled();
    });
    return { submittedAt, runId, killer, canceller };
  }

  private killer(fleet: Fleet): Killer {
    const { seed, kill, killAt, kills, cancel } = this.options;
    const steps = cancel?.atStep ?? this.steps;
    const schedule = scheduleKills({ seed, steps, kill, killAt, more: kills });
    const [first] = schedule;
    if (first !== undefined)
      this.say(`When step ${first.atStep} of ${this.steps} succeeds, the ${first.victim} is killed.`);
    const shared = { say: (line: string) => this.say(line), failed: (error: Error) => this.fail(error) };
    return new Killer({ schedule, fleet, seed, ...shared });
  }

  private canceller(fleet: Fleet, request: () => Promise<Answer>): Canceller | null {
    const planned = this.options.cancel;
    if (planned === null) return null;
    const frozen = planned.freeze ? ' and all executors are frozen' : '';
    this.say(`When step ${planned.atStep} of ${this.steps} succeeds, the run is cancelled${frozen}.`);
    const shared = { say: (line: string) => this.say(line), failed: (error: Error) => this.fail(error) };
    return new Canceller({ planned, fleet, request, ...shared });
  }

  private see(fact: Fact, { killer, canceller }: Hands, listing: Listing): Promise<void> | null {
    const before = isHeld(this.tally);
    count(this.tally, fact);
    const { stepsSucceeded } = this.tally;
    const killing = fact.event.type === 'StepSucceeded' ? killer.stepsSucceeded(stepsSucceeded) : null;
    const cancelling = canceller?.see(fact, stepsSucceeded) ?? null;
    const isCancelled = canceller?.isHistory === true;
    // A run that is cancelled begins nothing that could be held, and does not go on.
    if (!isCancelled) this.sayHold(before);
    const line = tell(fact, listing.documents, isCancelled);
    if (line !== null && this.isNews(line)) this.say(line);
    if (!isCancelled) this.sayRelease(before);
    this.display.progress(this.tally);
    return killing ?? cancelling;
  }

  private sayHold(before: boolean): void {
    if (!before && isHeld(this.tally)) this.say(tellHold());
  }

  private sayRelease(before: boolean): void {
    const last = this.tally.holds.at(-1);
    if (before && !isHeld(this.tally) && last?.until != null) this.say(tellRelease(last.until - last.from));
  }

  // A run that waits says so again and again, for one tool and then for another.
  private isNews(line: string): boolean {
    const saidAt = this.saidAt.get(line) ?? -Infinity;
    const now = performance.now();
    if (now - saidAt < SAY_AGAIN_MS) return false;
    this.saidAt.set(line, now);
    return true;
  }

  private stalled(): Stalled {
    const { patienceMs } = this.options;
    return new Stalled(
      `Nothing has happened for ${patienceMs / 1_000} s: ${waitsFor(this.tally, this.steps)}. Look into ${this.files.folder}`,
    );
  }

  private async report(fleet: Fleet, listing: Listing, followed: Followed): Promise<Report> {
    const { submittedAt, runId, killer, canceller } = followed;
    this.say('Waiting a moment for anything that may still reach the office …');
    await untilQuiet(fleet.officeUrl, QUIET_MS, QUIET_MS_MAX);
    const report = reportOf({
      tally: this.tally,
      documents: listing.documents,
      lines: await this.lines(submittedAt),
      calls: await callsSince(fleet.officeUrl, 0),
      kills: killer.kills,
      cancel: canceller?.cancel ?? null,
      submittedAt,
      runId,
      ledger: this.files.ledger,
      seed: this.options.seed,
      options: { ...this.options },
    });
    writeReport(this.files.report, report);
    this.say(`The report: ${this.files.report}`);
    return report;
  }

  private async lines(submittedAt: number): Promise<readonly LedgerLine[]> {
    const { office } = this.options;
    if (office !== null) writeLedger(this.files.ledger, await linesSince(office, submittedAt));
    return readLedger(await readFile(this.files.ledger, 'utf8'));
  }

  private say(line: string): void {
    this.display.say(line);
  }
}
