import { encode, type Beat } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { Cancel, Logger, Timer } from '@holdfast/sdk';
import { offByBroker } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import { elapsedMs } from '../session/lease.js';
import type { Time } from '../session/session.state.js';

type BeatData = Extract<Beat, { type: 'ExecutorBeat' }>['data'];

export type HeartbeatPorts = {
  readonly log: Log;
  readonly topic: string;
  readonly timer: Timer;
  readonly logger: Logger;
  readonly clocks: () => Time;
  readonly executor: string;
  /** A clock that is off by more takes no work. */
  readonly skewMs: number;
};

export type Acknowledged = {
  readonly sessions: readonly string[];
  readonly sent: Time;
  readonly clockOffMs: number;
  /** Whether its answer shows that the clock is right. */
  readonly clockIsRight: boolean;
};

/** Says who is alive, in turn and never two at a time. */
export class Heartbeat {
  private stopTimer: Cancel = () => undefined;
  private underWay = false;
  private wanted = false;
  private count = 0;
  private last: Time | null = null;
  clockOffMs = 0;
  /** Whether an answer has ever shown the clock to be right. */
  wasClockRight = false;

  constructor(
    private readonly ports: HeartbeatPorts,
    private readonly say: () => Omit<BeatData, 'executor' | 'at'>,
    private readonly acknowledged: (news: Acknowledged) => void,
  ) {}

  start(everyMs: number): void {
    this.stopTimer = this.ports.timer.every(everyMs, () => this.beat());
    this.beat();
  }

  stop(): void {
    this.stopTimer();
    this.stopTimer = () => undefined;
  }

  /** How long ago the last acknowledged one was sent. */
  ageMs(): number {
    return this.last === null ? Infinity : elapsedMs(this.last, this.ports.clocks());
  }

  /** Now, or as soon as the one under way is answered. */
  beat(): void {
    this.wanted = true;
    if (!this.underWay) void this.send();
  }

  private async send(): Promise<void> {
    this.wanted = false;
    this.underWay = true;
    const { log, topic, logger, clocks } = this.ports;
    const said = this.say();
    const sent = clocks();
    failpoint('parent.heartbeat.before');
    const answer = await log.append(topic, 0, [{ key: this.ports.executor, value: this.encode(said, sent) }]);
    failpoint('parent.heartbeat.after');
    this.underWay = false;
    if (answer.outcome === 'appended') {
      this.last = sent;
      const clockIsRight = this.judgeClock(offByBroker({ at: answer.at, sent, answered: clocks() }, this.ports.skewMs));
      const sessions = said.sessions.map(({ session }) => session);
      this.acknowledged({ sessions, sent, clockOffMs: this.clockOffMs, clockIsRight });
    } else logger.warn({ answer: answer.outcome, detail: answer.detail }, 'a heartbeat was not acknowledged');
    if (this.wanted) void this.send();
  }

  private judgeClock(offMs: number | null): boolean {
    if (offMs === null) return false;
    const { skewMs, logger } = this.ports;
    const isOff = Math.abs(offMs) > skewMs;
    const wasOff = Math.abs(this.clockOffMs) > skewMs;
    this.clockOffMs = offMs;
    if (isOff && !wasOff) logger.error({ offMs, skewMs }, "this clock is off from the broker's: no work is taken");
    if (wasOff && !isOff) logger.info({ offMs }, 'the clock is right again');
    this.wasClockRight ||= !isOff;
    return !isOff;
  }

  private encode(said: Omit<BeatData, 'executor' | 'at'>, sent: Time): Uint8Array {
    this.count += 1;
    const { executor } = this.ports;
    return encode({
      type: 'ExecutorBeat',
      version: 1,
      id: `${executor}/${this.count}`,
      source: 'holdfast/executor',
      subject: null,
      time: new Date(sent.now).toISOString(),
      principal: null,
      data: { executor, ...said, at: sent.now },
    });
  }
}
