import { LogUnavailable, type Log } from '@holdfast/log';
import type { ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import type { Clock, Packing, Timer } from '@holdfast/sdk';
import { noMetrics, noTraces } from '@holdfast/telemetry';
import type { TopicNames } from '@holdfast/contracts';
import type { ClaimsKeeper } from '../claims/claims-keeper.js';
import { newLaneMachine, stepLane } from '../lane/lane.machine.js';
import type { Arrival, Facts, LaneInput, LaneMachine, LaneOutput, LaneSetting } from '../lane/lane.types.js';
import type { FirstClaim } from '../run/env.js';
import type { Intake } from './intake.js';
import { LaneSnapshots } from './lane-snapshots.js';
import { patiently } from './patiently.js';
import type { Publisher } from './publisher.js';
import { Seen, type Watching } from './seen.js';

/** Folded in one turn: heartbeats and other lanes have theirs in between, also where a long history is read. */
const READ_BYTES = 1_000_000;

export type RunnerParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: ServiceLogger;
  readonly packing: Packing | undefined;
  readonly keeper: ClaimsKeeper;
  readonly facts: () => Facts;
  readonly intake: (runner: LaneRunner) => Intake;
  readonly publisher: (runner: LaneRunner) => Publisher;
  /** A person has accepted, in the configuration, that unread inputs of this lane are gone. */
  readonly lossAccepted: boolean;
  /** A session is named by a first claim: from now on its lease runs. */
  readonly holderKnown: (session: string) => void;
  readonly watching?: Watching;
};

/** Carries inputs to the machine of one lane and its outputs to the world. */
export class LaneRunner {
  readonly machine: LaneMachine;
  readonly intake: Intake;
  readonly publisher: Publisher;
  stopped: string | null = null;
  readonly #seen: Seen;
  readonly #snapshots: LaneSnapshots;
  #claims: [string, FirstClaim][] = [];
  #following: Promise<void> = Promise.resolve();
  #reading: 'not' | 'once' | 'again' = 'not';
  /** What it has taken to take the lane over. */
  #taking = { since: 0, restored: 0, records: 0, bytes: 0 };

  constructor(
    readonly parts: RunnerParts,
    readonly setting: LaneSetting,
  ) {
    this.machine = newLaneMachine(setting);
    const { lane, rules } = setting;
    this.#snapshots = new LaneSnapshots({ ...parts, lane, rules });
    const { metrics = noMetrics, traces = noTraces } = parts.watching ?? {};
    this.#seen = new Seen(this.machine, { metrics, traces, logger: parts.logger });
    this.intake = parts.intake(this);
    this.publisher = parts.publisher(this);
  }

  get leading(): boolean {
    return this.machine.phase === 'leading';
  }

  dispatch(input: LaneInput): void {
    if (input.type === 'SeatGranted')
      this.#taking = { since: this.parts.clock.monotonic(), restored: 0, records: 0, bytes: 0 };
    const outputs = this.#seen.around(input, () => stepLane(this.machine, input, this.parts.facts()));
    for (const output of outputs) this.#carryOut(output);
  }

  #carryOut(output: LaneOutput): void {
    switch (output.type) {
      case 'ReadSnapshot':
        return void this.#readSnapshot(output.beyond);
      case 'TakeSnapshot':
        return void this.#takeSnapshot(output);
      case 'DropSnapshot':
        this.#taking = { ...this.#taking, restored: 0, records: 0, bytes: 0 };
        return this.parts.logger.warn(
          { lane: this.setting.lane, reason: output.reason },
          'a snapshot is ignored: history contradicts what was folded on from it',
        );
      case 'ReadHistory':
        return void this.#read(output.from);
      case 'AppendHistory':
        return void this.#append(output);
      case 'FollowInputs':
        failpoint('coordinator.acquired');
        this.#following = this.#follow(output.term, output.positions);
        return;
      case 'StopInputs':
        this.intake.stop();
        return this.publisher.stop();
      case 'React':
        return this.publisher.publish(output.reactions, output.through);
      case 'Watch':
        return this.parts.keeper.watch(output.attempts, (id, first) => this.#claimKnown(id, first));
      case 'Unwatch':
        return this.parts.keeper.unwatch(output.attemptIds);
      case 'Close':
        return this.parts.keeper.close(output.attempts);
      case 'ReadRequests':
        return void this.#readRequests();
      case 'StopLane':
        this.stopped = output.reason;
        return this.parts.logger.error(
          { lane: this.setting.lane, reason: output.reason },
          'the lane has stopped: a person must look',
        );
    }
  }

  async #readSnapshot(beyond: number): Promise<void> {
    const restored = await this.#snapshots.read(beyond);
    if (this.machine.phase === 'reading') this.#taking.restored = restored?.next ?? 0;
    this.dispatch({ type: 'SnapshotRead', restored });
  }

  async #takeSnapshot({ anchor, capture }: Extract<LaneOutput, { type: 'TakeSnapshot' }>): Promise<void> {
    const { term } = this.machine;
    try {
      await this.#snapshots.write(anchor, capture, () => this.leading && this.machine.term === term);
    } catch (error) {
      this.parts.logger.warn({ lane: this.setting.lane, err: error }, 'a snapshot could not be written');
    }
    this.dispatch({ type: 'SnapshotClosed' });
  }

  async #read(from: number): Promise<void> {
    const { lane } = this.setting;
    try {
      const fetched = await this.parts.log.read(this.parts.names.history, lane, from, { bytesMax: READ_BYTES });
      if (this.machine.phase === 'reading') failpoint('coordinator.history.read');
      if (fetched.outcome === 'fetched') {
        this.#taking.records += fetched.records.length;
        this.#taking.bytes += fetched.records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
        return this.dispatch({ type: 'HistoryRead', ...fetched });
      }
      this.stop(`history at ${from} is not kept; kept are ${fetched.start} to ${fetched.end}`);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) return this.stop((error as Error).message);
      this.parts.logger.warn({ lane, detail: error.message }, 'history cannot be read, trying again');
      this.parts.timer.after(200, () => this.machine.phase !== 'unseated' && void this.#read(from));
    }
  }

  async #append({ values, keys, pauseMs }: Extract<LaneOutput, { type: 'AppendHistory' }>): Promise<void> {
    const { flight } = this.machine;
    if (pauseMs > 0) await new Promise<void>((resolve) => void this.parts.timer.after(pauseMs, resolve));
    if (flight !== this.machine.flight) return;
    failpoint('coordinator.append.before');
    const entries = values.map((value, index) => ({ key: keys[index] ?? null, value }));
    const answer = await this.parts.log.append(this.parts.names.history, this.setting.lane, entries);
    failpoint('coordinator.append.after');
    // An answer to what was given up in the meantime says nothing about what is under way now.
    if (flight !== this.machine.flight) return;
    if (answer.outcome === 'appended')
      return this.dispatch({ type: 'HistoryAppended', answer: { outcome: 'appended', offset: answer.offset } });
    this.parts.logger.warn({ lane: this.setting.lane, ...answer }, 'history was not acknowledged');
    const unknown = answer.outcome === 'unknown' || answer.reason === 'unknown_partition' || answer.reason === 'denied';
    this.dispatch({
      type: 'HistoryAppended',
      answer: unknown ? { outcome: 'unknown' } : { outcome: 'refused', detail: answer.detail },
    });
  }

  async #follow(term: number, positions: Readonly<Record<string, number>>): Promise<void> {
    const { names, log, logger } = this.parts;
    const { lane } = this.setting;
    const from = new Map<string, number>();
    const lost: Arrival[] = [];
    for (const topic of [names.requests, names.journal, names.verdicts]) {
      const known = positions[topic] ?? 0;
      const kept = await patiently(this.parts, topic, () => log.bounds(topic, lane));
      from.set(topic, Math.max(known, kept.start));
      if (known >= kept.start) continue;
      const work = { kind: 'lost', from: known, to: kept.start, acceptedBy: 'configuration' } as const;
      lost.push({ topic, next: kept.start, bytes: 0, work });
    }
    if (this.machine.term !== term || !this.leading) return;
    const [first] = lost;
    if (first !== undefined && !this.parts.lossAccepted) {
      return this.stop(
        `inputs of ${first.topic} are lost: history stands at ${positions[first.topic] ?? 0}, kept is from ${first.next} on; ` +
          `to go on without them start a coordinator with HOLDFAST_ACCEPT_LOST_INPUTS=${lane}`,
      );
    }
    if (lost.length > 0) this.dispatch({ type: 'Arrived', term, arrivals: lost });
    const { since, ...taking } = this.#taking;
    const tookMs = Math.round(this.parts.clock.monotonic() - since);
    const { epoch, seq } = this.machine.lane;
    logger.info({ lane, epoch, seq, tookMs, ...taking }, 'leading the lane');
    this.intake.start(term, from);
  }

  /** The requests are read to an end that is fetched now: whoever answered before this moment is among them. */
  async #readRequests(): Promise<void> {
    if (this.#reading !== 'not') return void (this.#reading = 'again');
    const { log, names, facts } = this.parts;
    try {
      do {
        this.#reading = 'once';
        await this.#followed();
        const { term } = this.machine;
        const at = facts().now;
        const { end } = await patiently(this.parts, names.requests, () =>
          log.bounds(names.requests, this.setting.lane),
        );
        await this.intake.reached(names.requests, end);
        if (this.machine.term === term && this.leading) this.dispatch({ type: 'RequestsRead', at });
      } while (this.#isAskedAgain());
    } finally {
      this.#reading = 'not';
    }
  }

  #isAskedAgain(): boolean {
    return this.#reading === 'again' && this.leading;
  }

  /** Fulfilled once the inputs of this term are followed: before that nothing of them has been read. */
  async #followed(): Promise<void> {
    let following: Promise<void>;
    do {
      following = this.#following;
      await following;
    } while (following !== this.#following);
  }

  /** First claims come one by one out of one read: they are handed over together. */
  #claimKnown(attemptId: string, first: FirstClaim): void {
    if (first.kind === 'claimed') this.parts.holderKnown(first.session);
    if (this.#claims.length === 0) {
      queueMicrotask(() => this.dispatch({ type: 'ClaimsKnown', claims: this.#claims.splice(0) }));
    }
    this.#claims.push([attemptId, first]);
  }

  /** Stops the lane for good: what it needs is gone. */
  stop(reason: string): void {
    this.machine.phase = 'stopped';
    this.#carryOut({ type: 'StopInputs' });
    this.#carryOut({ type: 'StopLane', reason });
  }
}
