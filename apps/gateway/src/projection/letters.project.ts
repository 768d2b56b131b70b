import { readDeadLetter, readResent } from '@holdfast/contracts';
import type { DeadLetterRow, ResendRow } from '../store/tables.js';
import type { Changes } from './changes.js';
import type { View } from './projection.js';

export type LetterRecord = {
  readonly offset: number;
  readonly at: number;
  readonly key: string | null;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** Dead letters of one partition, and when they were sent again. Nothing has to be remembered for it. */
export class LettersView implements View {
  private letters: DeadLetterRow[] = [];
  private resends: ResendRow[] = [];

  constructor(private readonly partition: number) {}

  see(record: LetterRecord): void {
    const { offset, at, headers } = record;
    const resent = readResent(headers);
    if (resent === null) this.letters.push(letterRow(this.partition, record));
    else this.resends.push({ partition: this.partition, offset, ...resent, at });
  }

  take(): Changes {
    const { letters: deadLetters, resends } = this;
    this.drop();
    return { accepted: [], rows: { deadLetters, resends } };
  }

  drop(): void {
    this.letters = [];
    this.resends = [];
  }
}

/** Whoever writes letters by other means than ours has them shown all the same. */
const unknown = { topic: '', partition: 0, offset: 0, code: 'unknown', reason: 'its headers say nothing', by: '' };

const letterRow = (partition: number, { offset, at, key, value, headers }: LetterRecord): DeadLetterRow => {
  const note = readDeadLetter(headers) ?? unknown;
  return {
    partition,
    offset,
    sourceTopic: note.topic,
    sourcePartition: note.partition,
    sourceOffset: note.offset,
    key,
    code: note.code,
    reason: note.reason,
    by: note.by,
    at,
    bytes: value?.byteLength ?? 0,
    value,
  };
};
