import {
  encode,
  otherSlot,
  pieceKey,
  snapshotDigest,
  type SnapshotPiece,
  type SnapshotSlot,
  type SnapshotTaken,
} from '@holdfast/contracts';
import { snapshotRows, SNAPSHOT_VERSION, type Digest, type LaneAnchor, type LaneCapture } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { gzipPacking, type Packing } from './packing.js';

export type WriteSnapshot = {
  readonly log: Log;
  /** `run-snapshots`. */
  readonly topic: string;
  readonly lane: number;
  readonly digest: Digest;
  /** Epoch ms. */
  readonly now: number;
  /** The slot of the last one that is believed; null where there is none. */
  readonly last: SnapshotSlot | null;
  /** False as soon as nobody needs it any more. */
  readonly wanted: () => boolean;
  readonly packing?: Packing;
};

export type Taken = { readonly anchor: LaneAnchor; readonly capture: LaneCapture };
export type SnapshotWritten =
  | { readonly written: true; readonly slot: SnapshotSlot; readonly pieces: number; readonly bytes: number }
  | { readonly written: false; readonly detail: string };

/** Lines of so much are packed and written at a time: between two of them everybody else has a turn. */
const CHUNK_CHARS = 256 * 1024;
/** Of packed bytes; with base64 a piece stays below 256 KiB. */
const PIECE_BYTES = 180 * 1024;
/** What is larger is not written: reading it would take longer than folding. */
const PIECES_MAX = 2_000;

class GivenUp extends Error {}

/** Writes pieces and then what they are. Gives up at the first append without a good answer: the one before is still there. */
export const writeSnapshot = async (options: WriteSnapshot, taken: Taken): Promise<SnapshotWritten> => {
  const writing = new Writing(options, taken.anchor);
  try {
    for (const text of chunks(taken.capture)) await writing.chunk(text);
    return { written: true, ...(await writing.close()) };
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    return { written: false, detail: error.message };
  }
};

function* chunks(capture: LaneCapture): Generator<string> {
  let text = '';
  for (const row of snapshotRows(capture)) {
    text += `${JSON.stringify(row)}\n`;
    if (text.length < CHUNK_CHARS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

class Writing {
  private readonly slot: SnapshotSlot;
  private readonly id: string;
  private readonly written: SnapshotTaken['chunks'][number][] = [];
  private index = 0;
  private bytes = 0;

  constructor(
    private readonly options: WriteSnapshot,
    private readonly anchor: LaneAnchor,
  ) {
    this.slot = otherSlot(options.last);
    this.id = `${options.lane}/${anchor.seq} ${anchor.owner} ${options.now}`.slice(0, 200);
  }

  async chunk(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    const packed = await (this.options.packing ?? gzipPacking).pack(bytes);
    const pieces: SnapshotTaken['chunks'][number]['pieces'] = [];
    for (let at = 0; at < packed.length; at += PIECE_BYTES) {
      const body = Buffer.from(packed.subarray(at, at + PIECE_BYTES)).toString('base64');
      pieces.push(await this.piece({ snapshot: this.id, index: this.index, body }));
    }
    this.written.push({ bytes: bytes.length, pieces });
  }

  async close(): Promise<{ readonly slot: SnapshotSlot; readonly pieces: number; readonly bytes: number }> {
    const { lane, digest } = this.options;
    const { id: snapshot, anchor, written: chunks, slot } = this;
    const taken: SnapshotTaken = { snapshot, version: SNAPSHOT_VERSION, lane, ...anchor, chunks, digest: '' };
    await this.append(slot, this.encoded('SnapshotTaken', { ...taken, digest: snapshotDigest(taken, digest) }));
    return { slot, pieces: this.index, bytes: this.bytes };
  }

  private async piece(data: SnapshotPiece): Promise<{ offset: number; digest: string }> {
    if (this.index >= PIECES_MAX) throw new GivenUp(`the lane holds more than ${PIECES_MAX} pieces`);
    const value = this.encoded('SnapshotPiece', data);
    const offset = await this.append(pieceKey(this.slot, this.index), value);
    this.index += 1;
    return { offset, digest: this.options.digest(value) };
  }

  private encoded(type: string, data: SnapshotPiece | SnapshotTaken): Uint8Array {
    const { lane, now } = this.options;
    const id = `${this.id} ${type === 'SnapshotTaken' ? 'taken' : this.index}`;
    const time = new Date(now).toISOString();
    const head = { version: 1, source: 'holdfast/coordinator', principal: null } as const;
    return encode({ ...head, type, id, subject: `lane ${lane}`, time, data });
  }

  private async append(key: string, value: Uint8Array): Promise<number> {
    const { log, topic, lane, wanted } = this.options;
    if (!wanted()) throw new GivenUp('the lane is led no more');
    const answer = await log.append(topic, lane, [{ key, value }]);
    if (answer.outcome !== 'appended') throw new GivenUp(`${answer.outcome}: ${answer.detail}`);
    this.bytes += value.length;
    return answer.offset;
  }
}
