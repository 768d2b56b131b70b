import { encodeHistory, nextChain, type HistoryEvent } from '@holdfast/events';
import type { Entry } from '@holdfast/log';
import { sha256 } from '@holdfast/sdk';

type Told = { readonly event: HistoryEvent; readonly runId: string | null; readonly at: number };

/** Writes the history of a lane as a coordinator does: whole batches, each of which ends with `LaneAdvanced`. */
export class Author {
  private seq = -1;
  private chain = '';
  private readonly prev = new Map<string, string>();

  constructor(private readonly lane: number) {}

  /** The first record of a lane. */
  acquire(at: number): readonly Entry[] {
    return this.batch([{ event: { type: 'LaneAcquired', version: 1, data: { at } }, runId: null, at }]);
  }

  decide(told: readonly Told[], at: number): readonly Entry[] {
    return this.batch([...told, { event: this.advanced(at), runId: null, at }]);
  }

  /** Nothing more is told of a run: what was kept for its next record is forgotten. */
  forget(runId: string): void {
    this.prev.delete(runId);
  }

  private batch(told: readonly Told[]): readonly Entry[] {
    const first = this.seq + 1;
    return told.map((one) => this.entry(one, { first, size: told.length }));
  }

  private entry({ event, runId, at }: Told, batch: { readonly first: number; readonly size: number }): Entry {
    this.seq += 1;
    const value = encodeHistory({
      id: `${this.lane}/${this.seq}`,
      time: new Date(at).toISOString(),
      subject: runId,
      principal: null,
      lane: { epoch: 1, seq: this.seq, owner: 'bench', ...batch },
      prev: runId === null ? null : (this.prev.get(runId) ?? null),
      event: event.type === 'LaneAdvanced' ? this.advanced(at) : event,
    });
    const digest = sha256(value);
    if (runId !== null) this.prev.set(runId, digest);
    this.chain = nextChain(this.chain, digest, sha256);
    return { key: runId, value };
  }

  private advanced(at: number): HistoryEvent {
    const data = { positions: { requests: this.seq + 1 }, reactedSeq: this.seq, replies: [], at, chain: this.chain };
    return { type: 'LaneAdvanced', version: 1, data };
  }
}
