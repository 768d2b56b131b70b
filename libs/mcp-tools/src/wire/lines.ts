import { createHash, type Hash } from 'node:crypto';

const LINE_FEED = 0x0a;
const ENDS_BYTES = 4_096;

/** A line that was too long to be kept: how long it was, its hash, and how it begins and ends. */
export type LongLine = {
  readonly bytes: number;
  readonly sha256: string;
  readonly head: string;
  readonly tail: string;
};

export type OnLines = { line(text: string): void; long(line: LongLine): void };

/**
 * Cuts bytes into lines at line feeds and nowhere else: U+2028, U+2029, U+0085 and a lone carriage return may stand in a
 * message. Holds at most `bytesMax` of a line; of a longer one only what tells it from others.
 */
export class Lines {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private over: { hash: Hash; head: Buffer; tail: Buffer } | null = null;

  constructor(
    private readonly bytesMax: number,
    private readonly to: OnLines,
  ) {}

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      this.take(chunk.subarray(from, at));
      this.end();
      from = at + 1;
    }
    this.take(chunk.subarray(from));
  }

  /** There will be no more: what has no line feed is a line as well. */
  end(): void {
    const { chunks, bytes, over } = this;
    this.chunks = [];
    this.bytes = 0;
    this.over = null;
    if (over !== null) {
      this.to.long({
        bytes,
        sha256: over.hash.digest('hex'),
        head: over.head.toString('utf8'),
        tail: over.tail.toString('utf8'),
      });
    } else if (bytes > 0) {
      this.to.line(Buffer.concat(chunks).toString('utf8').replace(/\r$/, ''));
    }
  }

  private take(part: Buffer): void {
    if (part.length === 0) return;
    this.bytes += part.length;
    if (this.over !== null) return this.pass(part, this.over);
    this.chunks.push(part);
    if (this.bytes <= this.bytesMax) return;
    const whole = Buffer.concat(this.chunks);
    this.chunks = [];
    this.over = {
      hash: createHash('sha256').update(whole),
      head: Buffer.from(whole.subarray(0, ENDS_BYTES)),
      tail: Buffer.from(whole.subarray(-ENDS_BYTES)),
    };
  }

  private pass(part: Buffer, over: { hash: Hash; tail: Buffer }): void {
    over.hash.update(part);
    over.tail = Buffer.from(Buffer.concat([over.tail, part]).subarray(-ENDS_BYTES));
  }
}
