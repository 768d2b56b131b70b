import { batchBytes, type Entry, type Log } from '@holdfast/log';
import { LIMITS } from '@holdfast/events';
import type { Logger, Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import type { JournalEntry } from '../session/session.messages.js';
import { journalRecord } from './message.js';
import { smallWord } from './small-word.js';

type Word = {
  readonly attemptId: string;
  readonly said: JournalEntry;
  readonly entry: Entry;
  readonly isOutcome: boolean;
  readonly isSmall: boolean;
};
/** `singly`: how many of the first words go alone, since they were too large together. */
type Lane = { readonly waiting: Word[]; busy: boolean; failures: number; singly: number };

export type JournalPorts = {
  readonly log: Log;
  readonly topic: string;
  readonly timer: Timer;
  readonly logger: Logger;
  readonly now: () => number;
};

const AGAIN_MS_FIRST = 50;
const AGAIN_MS_MAX = 2_000;

/**
 * Brings records to the journal: one append per lane at a time, everything that comes meanwhile in the next. Goes on
 * trying for as long as the process lives, whatever the log says: a topic may be missing, or a right withheld, for a
 * while. Only a word that is too large by itself is said in a smaller way. A word said twice does no harm.
 */
export class JournalWriter {
  private readonly lanes = new Map<number, Lane>();

  constructor(
    private readonly ports: JournalPorts,
    private readonly acknowledged: (attemptIds: readonly string[]) => void,
  ) {}

  write(lane: number, attemptId: string, entry: JournalEntry): void {
    const known = this.lanes.get(lane) ?? this.open(lane);
    known.waiting.push(this.wordOf(attemptId, entry, false));
    if (known.busy) return;
    known.busy = true;
    // Whatever else this turn has to say goes along.
    queueMicrotask(() => void this.send(lane, known));
  }

  private open(number: number): Lane {
    const lane: Lane = { waiting: [], busy: false, failures: 0, singly: 0 };
    this.lanes.set(number, lane);
    return lane;
  }

  private wordOf(attemptId: string, said: JournalEntry, isSmall: boolean): Word {
    const isOutcome = said.type !== 'AttemptStarted' && said.type !== 'AttemptProgressed';
    return { attemptId, said, entry: journalRecord(said, this.ports.now()), isOutcome, isSmall };
  }

  private async send(number: number, lane: Lane): Promise<void> {
    const batch = lane.singly > 0 ? lane.waiting.splice(0, 1) : takeBatch(lane.waiting);
    const outcomes = batch.some(({ isOutcome }) => isOutcome);
    if (outcomes) failpoint('executor.outcome.before');
    else failpoint('executor.started.before');
    const entries = batch.map(({ entry }) => entry);
    const answer = await this.ports.log.append(this.ports.topic, number, entries);
    if (answer.outcome === 'appended') {
      if (outcomes) failpoint('executor.outcome.after');
      else failpoint('executor.started.after');
      return this.done(number, lane, batch);
    }
    if (answer.outcome === 'refused' && answer.reason === 'too_large' && this.makeSmaller(number, lane, batch))
      return this.goOn(number, lane);
    lane.waiting.unshift(...batch);
    lane.failures += 1;
    const pauseMs = Math.min(AGAIN_MS_FIRST * 2 ** lane.failures, AGAIN_MS_MAX);
    const fields = { lane: number, records: batch.length, answer: answer.outcome, tries: lane.failures };
    this.ports.logger.warn({ ...fields, detail: answer.detail }, 'the journal did not acknowledge; trying again');
    this.ports.timer.after(pauseMs, () => void this.send(number, lane));
  }

  /** Puts back what is too large in a way that may be taken: one by one, or a smaller word. False: there is none. */
  private makeSmaller(number: number, lane: Lane, batch: readonly Word[]): boolean {
    const [word] = batch;
    if (word === undefined || (batch.length === 1 && word.isSmall)) return false;
    if (batch.length > 1) {
      lane.singly = batch.length;
      lane.waiting.unshift(...batch);
      return true;
    }
    const { attemptId, said } = word;
    const small = smallWord(said);
    const about = { lane: number, attemptId, type: said.type };
    this.ports.logger.error(about, 'a word is larger than the journal takes; it is said in a smaller way');
    if (small === null) this.taken(lane, batch);
    else lane.waiting.unshift(this.wordOf(attemptId, small, true));
    return true;
  }

  private done(number: number, lane: Lane, batch: readonly Word[]): void {
    lane.failures = 0;
    this.taken(lane, batch);
    this.goOn(number, lane);
  }

  /** Nothing more is to be said of these. */
  private taken(lane: Lane, batch: readonly Word[]): void {
    lane.singly = Math.max(0, lane.singly - batch.length);
    this.acknowledged(batch.map(({ attemptId }) => attemptId));
  }

  private goOn(number: number, lane: Lane): void {
    if (lane.waiting.length === 0) lane.busy = false;
    else void this.send(number, lane);
  }
}

/** As many of the first words as fit into one batch. */
const takeBatch = (waiting: Word[]): Word[] => {
  let bytes = 0;
  let count = 0;
  for (const { entry } of waiting) {
    bytes += batchBytes([entry]);
    if (count > 0 && bytes > LIMITS.decisionBytes) break;
    count += 1;
  }
  return waiting.splice(0, count);
};
