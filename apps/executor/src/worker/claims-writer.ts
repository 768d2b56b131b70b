import type { Appended, Entry, Log } from '@holdfast/log';
import type { Logger, Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import type { ClaimsAnswer, Output } from '../session/session.messages.js';
import type { ClaimData } from '../session/session.state.js';
import { claimEntry } from './message.js';

export type ClaimsPorts = {
  readonly log: Log;
  readonly topic: (queue: string) => string;
  readonly timer: Timer;
  readonly logger: Logger;
  readonly now: () => number;
};

type Append = Extract<Output, { type: 'append-claims' }>;

const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 2_000;

/** Brings claims to their partition, each append once; whether it is repeated is decided elsewhere. */
export class ClaimsWriter {
  private readonly entries = new WeakMap<readonly ClaimData[], readonly Entry[]>();

  constructor(
    private readonly ports: ClaimsPorts,
    private readonly answered: (append: Append, answer: ClaimsAnswer) => void,
  ) {}

  append(append: Append): void {
    if (append.tries === 0) return void this.send(append);
    const pauseMs = Math.min(AGAIN_MS_FIRST * 2 ** append.tries, AGAIN_MS_MAX);
    this.ports.timer.after(pauseMs, () => void this.send(append));
  }

  private async send(append: Append): Promise<void> {
    failpoint('executor.claim.before');
    const { log, topic } = this.ports;
    const answer = await log.append(topic(append.queue), append.partition, this.entriesOf(append.claims));
    failpoint('executor.claim.after');
    if (answer.outcome !== 'appended') this.warn(append, answer);
    this.answered(append, answer);
  }

  private entriesOf(claims: readonly ClaimData[]): readonly Entry[] {
    const known = this.entries.get(claims);
    if (known !== undefined) return known;
    const now = this.ports.now();
    const made = claims.map((data) => claimEntry(data, now));
    this.entries.set(claims, made);
    return made;
  }

  private warn({ queue, partition, tries }: Append, answer: Exclude<Appended, { outcome: 'appended' }>): void {
    const fields = { queue, partition, tries, answer: answer.outcome, detail: answer.detail };
    this.ports.logger.warn(fields, 'claims were not acknowledged; sending the same again');
  }
}
