import type { HistoryRecord } from '@holdfast/events';
import { createColors } from 'picocolors';
import { describeEvent } from '@holdfast/words';
import type { Problem } from './problem.js';

export type Streams = {
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Where a command writes: words for people, or JSON lines and nothing else on standard output. */
export class Output {
  readonly colors: ReturnType<typeof createColors>;

  constructor(
    private readonly streams: Streams,
    readonly json: boolean,
  ) {
    const { out, env } = streams;
    const { FORCE_COLOR: forced, NO_COLOR: none = '' } = env;
    this.colors = createColors(!json && none === '' && (forced === undefined ? out.isTTY === true : forced !== '0'));
  }

  /** A line for people; nothing in JSON mode. */
  say(text: string): void {
    if (!this.json) this.streams.out.write(`${harmless(text)}\n`);
  }

  /** A line for machines; nothing in words mode. */
  data(value: object): void {
    if (this.json) this.streams.out.write(`${JSON.stringify(value)}\n`);
  }

  /** One record of history. */
  event(record: HistoryRecord): void {
    const { colors } = this;
    const sentence = describeEvent(record.event);
    const { type } = record.event;
    const { seq } = record.lane;
    this.say(`${colors.dim(`${record.time}  ${String(seq).padStart(6)}`)}  ${this.paint(type)(sentence)}`);
    this.data({
      kind: 'event',
      seq,
      time: record.time,
      type,
      runId: record.subject,
      words: sentence,
      data: record.event.data,
    });
  }

  /** A remark beside the result, on standard error. */
  note(text: string): void {
    this.streams.err.write(`${harmless(text)}\n`);
  }

  /** Goes to standard error, in words in either mode. */
  problem(problem: Pick<Problem, 'message' | 'advice'>): void {
    const colors = createColors(this.colors.isColorSupported && this.streams.err.isTTY === true);
    this.streams.err.write(
      `${colors.red('holdfast:')} ${harmless(problem.message)}\n${problem.advice === '' ? '' : `  ${problem.advice}\n`}`,
    );
  }

  private paint(type: string): (text: string) => string {
    const { colors } = this;
    if (/^(StepFailed|ConflictFound|EscalationExpired)$/.test(type)) return colors.red;
    if (/^(DoubtOpened|ProbeRecorded|EscalationOpened|CancelRequested)$/.test(type)) return colors.yellow;
    if (/^(StepSucceeded|DoubtSettled)$/.test(type)) return colors.green;
    return type === 'RunEnded' ? colors.bold : (text) => text;
  }
}

/**
 * What others have written (reasons, evidence, labels) may hold anything. A terminal is told nothing by it but colours,
 * which are our own.
 */
const harmless = (text: string): string =>
  text.replaceAll(/(\p{Cc})(\[[\d;]*m)?/gu, (whole, sign: string, colour: string | undefined) => {
    const ours = sign === '\n' || sign === '\t' || (sign === ESCAPE && colour !== undefined);
    return ours ? whole : `\uFFFD${colour ?? ''}`;
  });
const ESCAPE = '\u001B';
