import { encode, type Beat } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { Ids, Logger, Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';

type Ended = Extract<Beat, { type: 'SessionEnded' }>['data'];
export type Cause = Ended['cause'];
export type SessionsPorts = {
  readonly log: Log;
  readonly topic: string;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly now: () => number;
  readonly executor: string;
};

const AGAIN_MS = 100;

/** The sessions of the worker that runs now. What is ended is final: it is said until it is acknowledged. */
export class Sessions {
  private readonly living = new Map<string, 'open' | 'draining'>();
  private readonly ending = new Set<Promise<void>>();

  constructor(private readonly ports: SessionsPorts) {}

  /** Opens a session for new work; what was open before drains. */
  open(): string {
    for (const session of this.living.keys()) this.living.set(session, 'draining');
    const session = this.ports.ids.next();
    this.living.set(session, 'open');
    return session;
  }

  drain(session: string): void {
    if (this.living.has(session)) this.living.set(session, 'draining');
  }

  list(): { session: string; state: 'open' | 'draining' }[] {
    return [...this.living].map(([session, state]) => ({ session, state }));
  }

  isAlive(session: string): boolean {
    return this.living.has(session);
  }

  /** Its worker is gone, or it has said its last word. */
  end(session: string, cause: Cause): void {
    if (!this.living.delete(session)) return;
    const saying = this.say(session, cause);
    this.ending.add(saying);
    void saying.finally(() => this.ending.delete(saying));
  }

  endAll(cause: Cause): void {
    for (const session of this.living.keys()) this.end(session, cause);
  }

  /** Until all that was ended is acknowledged. */
  async allSaid(): Promise<void> {
    await Promise.all(this.ending);
  }

  private async say(session: string, cause: Cause): Promise<void> {
    const { log, topic, timer, logger, now, executor } = this.ports;
    const value = encode({
      type: 'SessionEnded',
      version: 1,
      id: `${session}/ended`,
      source: 'holdfast/executor',
      subject: null,
      time: new Date(now()).toISOString(),
      principal: null,
      data: { executor, session, cause, endedAt: now() },
    });
    failpoint('parent.session-ended.before');
    for (;;) {
      const answer = await log.append(topic, 0, [{ key: executor, value }]);
      if (answer.outcome === 'appended') return failpoint('parent.session-ended.after');
      logger.warn(
        { session, answer: answer.outcome, detail: answer.detail },
        'the end of a session was not acknowledged',
      );
      await new Promise<void>((resolve) => void timer.after(AGAIN_MS, resolve));
    }
  }
}
