import type { TopicNames } from '@holdfast/contracts';
import type { Log, SeatMembership, Seats, Tail, TailBatch, TailHandler } from '@holdfast/log';
import { sha256, type Cancel, type Clock, type Ids, type Packing, type Timer } from '@holdfast/sdk';
import { WatchedClock, watchSkew, type Health, type HealthCheck, type ServiceLogger } from '@holdfast/service';
import { ClaimsKeeper } from './claims/claims-keeper.js';
import { settingsOf, type CoordinatorConfig } from './coordinator.config.js';
import { SessionWatch } from './fleet/session-watch.js';
import type { Facts } from './lane/lane.types.js';
import { RULES, type Rules } from './run/rules.js';
import { ToolCatalogue } from './shell/catalogue.js';
import { demandOf } from './shell/holders.js';
import { Intake } from './shell/intake.js';
import { tellLanes } from './shell/levels.js';
import { LaneRunner } from './shell/lane-runner.js';
import { patiently } from './shell/patiently.js';
import { Losses } from './shell/losses.js';
import { Publisher } from './shell/publisher.js';
import type { Watching } from './shell/seen.js';

export type CoordinatorParts = Watching & {
  readonly config: CoordinatorConfig;
  readonly log: Log;
  readonly seats: Seats;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly logger: ServiceLogger;
  readonly health: Health;
  readonly fatal: (error: unknown) => void;
  /** Only tests give others than `RULES`. */
  readonly rules?: Rules;
  /** Only simulations give another one. */
  readonly packing?: Packing;
};

/** Sessions that hold something are looked at this often, besides at every change. */
const REVIEW_MS = 200;
const SLOW_PACE_MS = 10;
/** Between heartbeats, as long as none has borne the clock out. */
const PROOF_PAUSE_MS = 100;
const PROOFS_SAID = 20;
const FORGET_MS = 60_000;

/** One coordinator process: a runner per seated lane, one tail, one claims keeper, one watch over sessions for all. */
export class Coordinator {
  readonly owner: string;
  readonly rules: Rules;
  readonly runners = new Map<number, LaneRunner>();
  readonly keeper: ClaimsKeeper;
  readonly watch: SessionWatch;
  readonly losses: Losses;
  readonly catalogue: ToolCatalogue;
  readonly #tail: Tail;
  readonly #slowTail: Tail;
  readonly #log: Log;
  readonly #clock: WatchedClock;
  #seats: SeatMembership | null = null;
  #timers: Cancel[] = [];
  #beating: Promise<void> | null = null;
  #facts: Facts | null = null;
  #isStopped = false;

  constructor(readonly parts: CoordinatorParts) {
    const { config, names, timer, logger } = parts;
    this.owner = parts.ids.next();
    this.rules = parts.rules ?? RULES;
    const clock = (this.#clock = new WatchedClock(parts.clock, config.skewMs));
    const log = (this.#log = watchSkew(parts.log, clock, parts.fatal));
    const handler: TailHandler = {
      batch: (batch) => this.#batch(batch),
      outOfRange: (topic, partition, offset, { start, end }) =>
        this.#gone(topic, partition, `${offset} is next, kept are ${start} to ${end}`),
      defect: (topic, partition, detail) => this.#gone(topic, partition, detail),
      trouble: (detail) => logger.warn({ detail }, 'topics cannot be read, trying again'),
    };
    this.#tail = log.tail(handler);
    // Claims and heartbeats decide about the lost, which is no matter of ms.
    this.#slowTail = log.tail(handler, { paceMs: SLOW_PACE_MS });
    const follow = this.#slowTail.follow.bind(this.#slowTail);
    const { owner, rules } = this;
    this.keeper = new ClaimsKeeper({ log, names, clock, timer, logger, owner, rules, follow });
    this.watch = new SessionWatch(
      {
        log,
        names,
        clock,
        timer,
        logger,
        coordinator: owner,
        rules,
        follow,
        changed: () => this.losses.review(),
        back: (session) => this.losses.back(session),
        metrics: parts.metrics,
      },
      config,
    );
    this.losses = new Losses({
      log,
      names,
      logger,
      keeper: this.keeper,
      rules,
      leases: this.watch.leases,
      runners: this.runners,
    });
    this.catalogue = new ToolCatalogue(log, names);
  }

  async start(): Promise<void> {
    const { config, seats, names, timer, health, logger, metrics } = this.parts;
    health.contribute('lanes', () => this.#health());
    metrics?.look((levels) => tellLanes(levels, this.runners, { config, now: this.#clock.now() }));
    await patiently(this.parts, 'the tool catalogue', () => this.catalogue.refresh());
    await patiently(this.parts, 'the heartbeats', () => this.watch.start());
    if (this.#isStopped) return;
    this.#timers = [
      timer.every(config.tickMs, () => this.#tick()),
      timer.every(REVIEW_MS, () => this.#review()),
      timer.every(config.heartbeatMs, () => void this.#beat()),
      timer.every(FORGET_MS, () => this.keeper.forget()),
    ];
    await this.#proveClock();
    if (this.#isStopped) return;
    logger.info({ owner: this.owner, lanes: config.lanes }, 'coordinator started');
    const pool = { topic: names.laneSeats('coordinator'), group: names.group('coordinator') };
    this.#seats = await seats.join(pool, (held) => this.#seated(held));
    if (this.#isStopped) await this.#seats.leave();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#timers) cancel();
    for (const runner of this.runners.values()) runner.dispatch({ type: 'SeatLost' });
    await this.#seats?.leave();
    await Promise.all([this.#tail.close(), this.#slowTail.close()]);
  }

  /** Nothing is decided by a clock that was never compared. One that is off ends the process meanwhile. */
  async #proveClock(): Promise<void> {
    for (let beats = 1; !this.#isStopped; beats += 1) {
      await this.#beat();
      if (this.#clock.isBorneOut) return;
      if (beats % PROOFS_SAID === 0)
        this.parts.logger.warn(
          { beats },
          'no heartbeat was answered quickly enough to compare the clock: no lane is taken',
        );
      await new Promise<void>((resolve) => void this.parts.timer.after(PROOF_PAUSE_MS, resolve));
    }
  }

  #seated(seats: ReadonlySet<number>): void {
    if (this.#isStopped) return;
    // Somebody may have added partitions to the topic of the seats: there are no such lanes.
    const held = new Set([...seats].filter((lane) => lane < this.parts.config.lanes));
    this.parts.logger.info({ lanes: [...held] }, 'seats changed');
    for (const [lane, runner] of this.runners) if (!held.has(lane)) runner.dispatch({ type: 'SeatLost' });
    for (const lane of held) this.#runner(lane).dispatch({ type: 'SeatGranted' });
  }

  #runner(lane: number): LaneRunner {
    const known = this.runners.get(lane);
    if (known !== undefined) return known;
    const { config, names, timer, logger } = this.parts;
    const opened = new LaneRunner(
      {
        log: this.#log,
        names,
        clock: this.#clock,
        timer,
        logger,
        packing: this.parts.packing,
        keeper: this.keeper,
        facts: () => this.#factsNow(),
        intake: (runner) => this.#intake(lane, runner),
        publisher: (runner) => this.#publisher(lane, runner),
        lossAccepted: config.acceptLostInputs.includes(String(lane)),
        holderKnown: (session) => this.watch.leases.expect(session),
        watching: this.parts,
      },
      { lane, lanes: config.lanes, owner: this.owner, settings: settingsOf(config), rules: this.rules, digest: sha256 },
    );
    this.runners.set(lane, opened);
    return opened;
  }

  #intake(lane: number, runner: LaneRunner): Intake {
    const { config, names, timer, ids, logger } = this.parts;
    return new Intake({
      log: this.#log,
      names,
      clock: this.#clock,
      timer,
      ids,
      logger,
      owner: this.owner,
      lane,
      lanes: config.lanes,
      follow: this.#tail.follow.bind(this.#tail),
      unfollow: this.#tail.unfollow.bind(this.#tail),
      metrics: this.parts.metrics,
      deliver: (term, arrivals) => runner.dispatch({ type: 'Arrived', term, arrivals }),
      waiting: () => runner.machine.inbox.length,
      refreshTools: () =>
        this.catalogue
          .refresh()
          .catch((error: unknown) => logger.warn({ err: error }, 'the tool catalogue cannot be read')),
    });
  }

  #publisher(lane: number, runner: LaneRunner): Publisher {
    const { names, timer, logger } = this.parts;
    const { lanes } = this.parts.config;
    const reacted = (through: number) => runner.dispatch({ type: 'Reacted', through });
    return new Publisher({ log: this.#log, names, clock: this.#clock, timer, logger, lane, lanes, reacted });
  }

  /** Facts of one moment, shared by all that happens within a turn of the event loop. */
  #factsNow(): Facts {
    if (this.#facts === null) {
      const clock = this.#clock;
      const own = { coordinator: this.owner, demand: demandOf(this.#machines()) };
      const fleet = this.watch.fleet.view(clock.monotonic(), own, (queue, partition) =>
        this.keeper.end(queue, partition),
      );
      this.#facts = { now: clock.now(), catalogue: this.catalogue.tools, fleet };
      setImmediate(() => (this.#facts = null));
    }
    return this.#facts;
  }

  *#machines() {
    for (const runner of this.runners.values()) if (runner.leading) yield runner.machine;
  }

  #batch(batch: TailBatch): void {
    if (batch.topic === this.parts.names.heartbeats) return this.watch.batch(batch);
    if (this.keeper.batch(batch)) return;
    this.runners.get(batch.partition)?.intake.batch(batch);
  }

  /** Records that were to be read are not there: nothing that rests on them goes on in silence. */
  #gone(topic: string, partition: number, detail: string): void {
    const { logger, names } = this.parts;
    logger.error({ topic, partition, detail }, 'records that were not read yet are missing from the log');
    if (topic === names.heartbeats) return void patiently(this.parts, 'the heartbeats', () => this.watch.start());
    if (this.keeper.gone(topic, partition)) return;
    this.runners.get(partition)?.stop(`inputs of ${topic} are missing: ${detail}`);
  }

  #tick(): void {
    this.watch.tick();
    for (const runner of this.runners.values()) {
      if (!runner.leading) continue;
      runner.dispatch({ type: 'Tick' });
      runner.intake.resume();
    }
  }

  #review(): void {
    this.losses.review();
    // Claims of what is served are followed from now on: their ends are the `claimsFrom` of what is scheduled.
    for (const { queue, partition } of this.watch.fleet.served()) this.keeper.end(queue, partition);
  }

  /** One at a time: behind one that is not answered the others would wait, and be stale when they come. */
  #beat(): Promise<void> {
    this.#beating ??= this.#say().finally(() => (this.#beating = null));
    return this.#beating;
  }

  async #say(): Promise<void> {
    const lanes = [...this.runners].filter(([, runner]) => runner.leading).map(([lane]) => lane);
    await this.watch.beat(lanes, demandOf(this.#machines()));
  }

  #health(): HealthCheck {
    const runners = [...this.runners.values()];
    const stopped = runners.flatMap(({ setting, stopped: reason }) =>
      reason === null ? [] : [{ lane: setting.lane, reason }],
    );
    const lanes = runners.filter((runner) => runner.leading).map(({ setting }) => setting.lane);
    const broken = runners.flatMap(({ machine }) => [...machine.broken].map(([runId, reason]) => ({ runId, reason })));
    const data = { lanes, stopped, broken };
    if (stopped.length > 0)
      return { ok: false, detail: `lanes ${stopped.map(({ lane }) => lane).join(', ')} have stopped`, data };
    if (broken.length > 0) return { ok: false, detail: `no decision can be made about ${broken.length} runs`, data };
    return { ok: true, data };
  }
}
