import { batchBytes, type Entry, type Log } from '@holdfast/log';
import { LIMITS } from '@holdfast/events';
import type { Logger, Timer } from '@holdfast/sdk';
import { failpoint } from '@holdfast/service/failpoint';
import type { JournalEntry } from '../session/session.messages.js';
import { journalRecord } from './message.js';

type Word = { readonly attemptId: string; readonly entry: Entry; readonly isOutcome: boolean };
type Lane = { readonly waiting: Word[]; busy: boolean; failures: number; singly: boolean };

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
 * trying for as long as the process lives; a word said twice does no harm.
 */
export class JournalWriter {
  private readonly lanes = new Map<number, Lane>();

  constructor(
    private readonly ports: JournalPorts,
    private readonly acknowledged: (attemptIds: readonly string[]) => void,
  ) {}

  write(lane: number, attemptId: string, entry: JournalEntry): void {
    const known = this.lanes.get(lane) ?? this.open(lane);
    const isOutcome = entry.type !== 'AttemptStarted' && entry.type !== 'AttemptProgressed';
    known.waiting.push({ attemptId, entry: journalRecord(entry, this.ports.now()), isOutcome });
    if (known.busy) return;
    known.busy = true;
    // Whatever else this turn has to say goes along.
    queueMicrotask(() => void this.send(lane, known));
  }

  private open(number: number): Lane {
    const lane: Lane = { waiting: [], busy: false, failures: 0, singly: false };
    this.lanes.set(number, lane);
    return lane;
  }

  private async send(number: number, lane: Lane): Promise<void> {
    const batch = lane.singly ? lane.waiting.splice(0, 1) : takeBatch(lane.waiting);
    const outcomes = batch.some(({ isOutcome }) => isOutcome);
    if (outcomes) failpoint('executor.outcome.before');
    else failpoint('executor.started.before');
    const entries = batch.map(({ entry }) => entry);
    const answer = await this.ports.log.append(this.ports.topic, number, entries);
    if (answer.outcome === 'appended') {
      if (outcomes) failpoint('executor.outcome.after');
      else failpoint('executor.started.after');
      lane.failures = 0;
      this.acknowledged(batch.map(({ attemptId }) => attemptId));
      return this.goOn(number, lane);
    }
    const isFinal = answer.outcome === 'refused' && answer.reason !== 'unknown_partition';
    // One by one it shows which of them is meant.
    if (isFinal) lane.singly = true;
    if (isFinal && batch.length === 1) {
      // The log will never take it, and the others must not wait behind it: the attempt falls into doubt at its deadline.
      const about = { lane: number, attemptId: batch[0]?.attemptId, detail: answer.detail };
      this.ports.logger.error(about, 'the journal refuses a word for good; it is given up');
      this.acknowledged(batch.map(({ attemptId }) => attemptId));
      return this.goOn(number, lane);
    }
    lane.waiting.unshift(...batch);
    lane.failures += 1;
    const pauseMs = Math.min(AGAIN_MS_FIRST * 2 ** lane.failures, AGAIN_MS_MAX);
    const fields = { lane: number, records: batch.length, answer: answer.outcome, tries: lane.failures };
    this.ports.logger.warn({ ...fields, detail: answer.detail }, 'the journal did not acknowledge; trying again');
    this.ports.timer.after(pauseMs, () => void this.send(number, lane));
  }

  private goOn(number: number, lane: Lane): void {
    if (lane.waiting.length === 0) lane.busy = lane.singly = false;
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
