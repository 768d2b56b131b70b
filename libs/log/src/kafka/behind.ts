import type { Bounds } from '../log.port.js';

export type Asked = { readonly topic: string; readonly partition: number; readonly offset: number };
/** What a leader said of a partition, and how many copies there are (0: not known): with one nobody else can lead. */
export type Said = Bounds & { readonly copies: number };

/** A broker that lost its office learns of it within seconds; so long everybody must have said the same. */
const PROOF_MS = 30_000;
/** What was said longer ago is of another time. */
const GAP_MS = 15_000;

/**
 * Whether an offset that a leader calls out of range is. Below the start it is. Beyond the end it may be the leader that
 * is wrong: one that stood still and goes on answers as if it led still, with less than was read from its successor.
 * Only what is said again and again is believed then, because then records that were read are gone.
 */
export class Behind {
  private readonly said = new Map<string, { readonly offset: number; readonly since: number; readonly last: number }>();

  isOutOfRange({ topic, partition, offset }: Asked, { start, end, copies }: Said, now: number): boolean {
    if (offset < start) return true;
    // Somebody else has been asked meanwhile, who has it.
    if (offset <= end) return false;
    if (copies === 1) return true;
    const key = keyOf(topic, partition);
    const before = this.said.get(key);
    const since = before === undefined || now - before.last > GAP_MS ? now : before.since;
    this.said.set(key, { offset: Math.max(offset, before?.offset ?? 0), since, last: now });
    return now - since >= PROOF_MS;
  }

  /** The partition was read there: whoever led then had it. */
  forget({ topic, partition, offset }: Asked): void {
    if (this.said.size === 0) return;
    const before = this.said.get(keyOf(topic, partition));
    if (before !== undefined && offset >= before.offset) this.said.delete(keyOf(topic, partition));
  }
}

const keyOf = (topic: string, partition: number): string => `${partition} ${topic}`;
