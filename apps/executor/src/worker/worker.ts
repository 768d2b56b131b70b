import { unreachable } from '@holdfast/events';
import type { TopicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { Cancel, Logger, Timer, ToolSet } from '@holdfast/sdk';
import { noMetrics, type Levels, type Metrics, type Traces } from '@holdfast/telemetry';
import type { ToParent, ToWorker } from '../channel/channel.js';
import { callBlockedBy, effectBlockedBy } from '../session/attempt.call.js';
import { timeToActBy } from '../session/lease.js';
import { step } from '../session/session.machine.js';
import type { News, Output } from '../session/session.messages.js';
import { initialState, partitionKey, type ExecutorState, type Settings, type Time } from '../session/session.state.js';
import { Calls } from './calls.js';
import { ClaimsCount } from './claims-count.js';
import { ClaimsWriter } from './claims-writer.js';
import { JournalWriter } from './journal-writer.js';
import { ParentLink } from './parent-link.js';
import { Reading } from './reading.js';

export type WorkerPorts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly lanes: number;
  readonly tools: ToolSet;
  readonly timer: Timer;
  readonly logger: Logger;
  readonly clocks: () => Time;
  readonly tell: (message: ToParent) => void;
  /** Asked to stop, and nothing is left to wait for. */
  readonly drained: () => void;
  readonly metrics?: Metrics;
  readonly traces?: Traces;
};

type Begin = Extract<Output, { type: 'start-call' }>;

const TICK_MS = 20;

/** Carries news to the session machine and does what it asks for. Decides nothing. */
export class Worker {
  private readonly state: ExecutorState;
  private readonly claims: ClaimsWriter;
  private readonly journal: JournalWriter;
  private readonly calls: Calls;
  private readonly parent: ParentLink;
  private readonly reading: Reading;
  private readonly claimsCount: ClaimsCount;
  private readonly inbox: News[] = [];
  private isStepping = false;
  private readonly stopTicking: Cancel;

  constructor(
    private readonly ports: WorkerPorts,
    settings: Partial<Settings>,
  ) {
    this.state = initialState(settings);
    const { log, names, timer, logger, tools, metrics = noMetrics, traces } = ports;
    this.claimsCount = new ClaimsCount(metrics, (attemptId) => this.state.attempts.has(attemptId));
    metrics.look((levels) => this.tellLags(levels));
    const now = (): number => ports.clocks().now;
    this.parent = new ParentLink(ports.tell);
    this.claims = new ClaimsWriter(
      { log, topic: names.claims, timer, logger, now },
      ({ queue, partition, append }, answer) =>
        this.feed({ type: 'claims-answered', queue, partition, append, answer }),
    );
    this.journal = new JournalWriter({ log, topic: names.journal, timer, logger, now }, (attemptIds) =>
      this.feed({ type: 'journal-acknowledged', attemptIds }),
    );
    this.calls = new Calls({ tools, logger, now, metrics, traces, ...this.checks() }, this.callNews());
    const { lanes } = ports;
    const claimsKnownTo = ({ queue, partition }: { queue: string; partition: number }): number =>
      this.state.partitions.get(partitionKey(queue, partition))?.range?.next ?? 0;
    const feed = (news: News): void => this.feed(news);
    this.reading = new Reading({ log, names, lanes, tools, timer, logger, now, feed, metrics, claimsKnownTo });
    this.stopTicking = timer.every(TICK_MS, () => this.tick());
  }

  receive(message: ToWorker): void {
    switch (message.type) {
      case 'open-session':
        return this.feed({ type: 'session-opened', session: message.session });
      case 'ping':
        return this.parent.tell({ type: 'pong' });
      case 'beat-acknowledged':
      case 'seat-gained':
      case 'seat-lost':
      case 'quarantine':
      case 'drain':
        return this.feed(message);
      default:
        return unreachable(message);
    }
  }

  /** The wall clock that deadlines go by. */
  now(): number {
    return timeToActBy(this.state, this.ports.clocks()).now;
  }

  parentLost(): void {
    this.feed({ type: 'parent-lost' });
  }

  async close(): Promise<void> {
    this.stopTicking();
    this.parent.flush();
    await this.reading.close();
  }

  private tick(): void {
    this.feed({ type: 'tick' });
    this.claimsCount.sweep();
    this.parent.flush();
  }

  /** News that comes up while a step is carried out waits for its turn. */
  private feed(news: News): void {
    this.inbox.push(news);
    if (this.isStepping) return;
    this.isStepping = true;
    try {
      for (let next = this.inbox.shift(); next !== undefined; next = this.inbox.shift()) {
        const { outputs } = step(this.state, { ...this.ports.clocks(), ...next });
        if (outputs.length > 0) this.perform(outputs);
      }
    } finally {
      this.isStepping = false;
    }
  }

  /** Calls come last: a tool that blocks the thread must not hold back what is to be written. */
  private perform(outputs: readonly Output[]): void {
    const calls: Begin[] = [];
    for (const output of outputs) {
      this.claimsCount.see(output);
      if (output.type === 'start-call') calls.push(output);
      else this.performOne(output);
    }
    if (calls.length === 0) return;
    this.parent.begin(
      calls.map(({ attemptId, deadline, order }) => ({ attemptId, deadline, pure: order.policy === 'pure' })),
    );
    for (const call of calls) this.calls.start(call);
  }

  private performOne(output: Exclude<Output, Begin>): void {
    switch (output.type) {
      case 'append-claims':
        return this.claims.append(output);
      case 'write-journal':
        return this.journal.write(output.lane, output.attemptId, output.entry);
      case 'report-position':
        return this.parent.position(output);
      case 'abort-call':
        return this.calls.abort(output.attemptId, output.reason);
      case 'follow-commands':
      case 'follow-claims':
        return this.reading.follow(output);
      case 'unfollow-commands':
      case 'unfollow-claims':
        return this.reading.unfollow(output);
      case 'read-claims':
        return void this.reading.earlier(output);
      default:
        return this.say(output);
    }
  }

  private say(
    output: Extract<Output, { type: 'session-draining' | 'session-over' | 'partition-defect' | 'drained' }>,
  ): void {
    if (output.type === 'partition-defect') {
      const { queue, partition, detail } = output;
      this.ports.logger.error({ queue, partition, detail }, 'this partition is not served any more');
    }
    this.parent.flush();
    this.parent.tell(output);
    if (output.type === 'drained') this.ports.drained();
  }

  private tellLags(levels: Levels): void {
    for (const { queue, partition, seated, commands } of this.state.partitions.values()) {
      const [oldest = commands.next] = commands.pending.keys();
      const lag = seated ? this.reading.lagOf({ queue, partition }, oldest) : null;
      if (lag === null) continue;
      levels.set('holdfast_commands_lag_records', { queue, partition }, lag.records);
      levels.set('holdfast_commands_lag_seconds', { queue, partition }, lag.seconds);
    }
  }

  private checks(): Pick<ConstructorParameters<typeof Calls>[0], 'beginBlockedBy' | 'effectBlockedBy'> {
    const asking = (ask: typeof callBlockedBy) => (attemptId: string) => {
      const attempt = this.state.attempts.get(attemptId);
      if (attempt === undefined) return 'attempt_over';
      return ask(this.state, attempt, timeToActBy(this.state, this.ports.clocks()));
    };
    return { beginBlockedBy: asking(callBlockedBy), effectBlockedBy: asking(effectBlockedBy) };
  }

  private callNews(): ConstructorParameters<typeof Calls>[1] {
    return {
      blocked: (attemptId, reason) => {
        this.parent.end(attemptId);
        this.feed({ type: 'call-blocked', attemptId, reason });
      },
      ended: (attemptId, outcome) => {
        this.parent.end(attemptId);
        this.feed({ type: 'call-ended', attemptId, outcome });
      },
      progressed: (attemptId, progress) => this.feed({ type: 'progressed', attemptId, progress }),
    };
  }
}
