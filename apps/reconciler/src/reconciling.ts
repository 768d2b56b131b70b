import type { TopicNames } from '@holdfast/contracts';
import type { RestoredLane } from '@holdfast/events';
import type { Log, SeatPool } from '@holdfast/log';
import { findSnapshot, sha256, type Packing, type Timer, type ToolSet } from '@holdfast/sdk';
import { WatchedClock, watchSkew, type Clock, type Fatal, type Ids, type ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import type { Levels, Metrics, Traces } from '@holdfast/telemetry';
import { toolWitness } from './asking/witness.js';
import { defaultSettings, RULES, type Rules, type Settings } from './doubt/doubt.rules.js';
import type { ReconcilerConfig } from './reconciler.config.js';
import { Beats } from './shell/beats.js';
import { LaneHistories } from './shell/lane-histories.js';
import { Reconciler } from './shell/reconciler.js';

export type ReconcilingParts = {
  readonly config: ReconcilerConfig;
  readonly tools: ToolSet;
  /** Called when no tool will be asked any more. */
  readonly closeTools?: () => Promise<void>;
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly logger: ServiceLogger;
  readonly fatal: Fatal;
  /** Only tests give others than `RULES`. */
  readonly rules?: Rules;
  readonly metrics?: Metrics;
  readonly traces?: Traces;
  /** Only simulations give another one. */
  readonly packing?: Packing;
};

/** The reconciler and the histories it works on, joined together. */
export class Reconciling {
  readonly pool: SeatPool;
  readonly logger: ServiceLogger;
  private readonly histories: LaneHistories;
  private readonly reconciler: Reconciler;
  private readonly beats: Beats;
  private readonly clock: WatchedClock;

  constructor(private readonly parts: ReconcilingParts) {
    const { names, logger } = parts;
    this.logger = logger;
    this.pool = { topic: names.laneSeats('reconciler'), group: names.group('reconciler') };
    const judgedBy = parts.ids.next();
    // A verdict says when the question was put: with a wrong clock that means nothing.
    const clock = (this.clock = new WatchedClock(parts.clock, parts.config.skewMs));
    const log = watchSkew(parts.log, clock, parts.fatal);
    this.beats = new Beats({ log, topic: names.heartbeats, clock, reconciler: judgedBy });
    this.reconciler = this.newReconciler(judgedBy, log, clock);
    this.histories = this.newHistories();
    parts.metrics?.look((levels) => this.tell(levels));
  }

  /** Works on these lanes and no others. */
  hold(held: ReadonlySet<number>): void {
    this.logger.info({ lanes: [...held] }, `follows ${held.size} lanes`);
    this.histories.hold(held);
  }

  /** To be called every so often: for what is due by time alone. */
  tick(): void {
    this.guarded(() => {
      this.histories.flush();
      this.reconciler.tick();
      this.beats.tick(this.histories.status().held);
    });
  }

  async stop(): Promise<void> {
    this.reconciler.stop();
    await this.histories.close();
    await this.parts.closeTools?.();
  }

  status(): ReturnType<LaneHistories['status']> & ReturnType<Reconciler['counts']> & { isClockProven: boolean } {
    const isClockProven = this.clock.isBorneOut;
    return { ...this.histories.status(), ...this.reconciler.counts(), isClockProven };
  }

  private tell(levels: Levels): void {
    const { doubts, asking, held, behind, broken } = this.status();
    levels.set('holdfast_reconciler_doubts', {}, doubts);
    levels.set('holdfast_reconciler_questions', {}, asking);
    levels.set('holdfast_reconciler_lanes', { state: 'read' }, held.length - behind.length);
    levels.set('holdfast_reconciler_lanes', { state: 'behind' }, behind.length);
    levels.set('holdfast_reconciler_lanes', { state: 'broken' }, broken.size);
  }

  private newReconciler(judgedBy: string, log: Log, clock: WatchedClock): Reconciler {
    const { config, tools, names, logger, metrics, traces } = this.parts;
    const settings = settingsOf(config, judgedBy);
    return new Reconciler({
      settings,
      rules: this.parts.rules ?? RULES,
      witness: toolWitness(tools, clock, settings.questionMs),
      log,
      verdictsTopic: names.verdicts,
      clock,
      digest: sha256,
      logger,
      failpoint,
      runOf: (lane, runId) => this.histories.runOf(lane, runId),
      verdictsTakenTo: (lane) => this.histories.positionOf(lane, names.verdicts),
      metrics,
      traces,
    });
  }

  private newHistories(): LaneHistories {
    const { log, names, logger, metrics } = this.parts;
    return new LaneHistories({
      metrics,
      log,
      topic: names.history,
      digest: sha256,
      logger,
      snapshotOf: (lane) => this.snapshotOf(lane),
      listener: {
        seen: (lane) => this.guarded(() => this.laneSeen(lane)),
        grown: (lane, runId) => this.guarded(() => this.reconciler.runSeen(lane, runId)),
        left: (lane) => this.guarded(() => this.reconciler.laneLeft(lane)),
      },
    });
  }

  private async snapshotOf(lane: number): Promise<RestoredLane | null> {
    const { log, names, timer, logger, packing } = this.parts;
    const { restored } = await findSnapshot({
      log,
      topic: names.snapshots,
      history: names.history,
      lane,
      digest: sha256,
      beyond: 0,
      patience: { timer },
      ignored: (about) => logger.warn({ lane, ...about }, 'a snapshot is ignored'),
      ...(packing === undefined ? {} : { packing }),
    });
    return restored;
  }

  private laneSeen(lane: number): void {
    failpoint('reconciler.history.read');
    this.reconciler.laneSeen(lane, this.histories.runsOf(lane));
  }

  // What is thrown here is a mistake in the program; a reconciler that goes on after one might judge wrongly.
  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.parts.fatal(error);
    }
  }
}

const settingsOf = (config: ReconcilerConfig, judgedBy: string): Settings => ({
  ...defaultSettings(judgedBy),
  skewMs: config.skewMs,
  questionMs: config.questionMs,
  probeFirstMs: config.probeFirstMs,
  probeMaxMs: config.probeMaxMs,
  questionsMax: config.questions,
});
