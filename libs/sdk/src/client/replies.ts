import { decode, replyKind } from '@holdfast/contracts';
import type { Log, Tail, TailBatch } from '@holdfast/log';
import type { Timer } from '../ports.js';
import type { Answer } from './client-error.js';

/** Hears the answers to requests, by request id. A lane is listened to once the first request goes there. */
export class Replies {
  private readonly waiting = new Map<string, Set<Hearing>>();
  private readonly lanes = new Map<number, Promise<void>>();
  private tail: Tail | null = null;
  private over = false;

  constructor(
    private readonly log: Log,
    private readonly topic: string,
  ) {}

  /** Nothing is heard any more. */
  get closed(): boolean {
    return this.over;
  }

  /** Fulfilled once every answer written from now on to this lane will be heard. Rejects with `LogUnavailable`. */
  listen(lane: number): Promise<void> {
    const known = this.lanes.get(lane);
    if (known !== undefined) return known;
    const listening = this.begin(lane);
    this.lanes.set(lane, listening);
    listening.catch(() => this.lanes.delete(lane));
    return listening;
  }

  /** Keeps the first answer to the request from now on, until `end`. */
  hear(requestId: string): Hearing {
    const all = this.waiting.get(requestId) ?? new Set();
    const hearing = new Hearing(() => {
      all.delete(hearing);
      if (all.size === 0) this.waiting.delete(requestId);
    });
    this.waiting.set(requestId, all.add(hearing));
    return hearing;
  }

  /** Ends every wait. */
  async close(): Promise<void> {
    this.over = true;
    for (const hearing of [...this.waiting.values()].flatMap((all) => [...all])) hearing.giveUp();
    await this.tail?.close();
  }

  private async begin(lane: number): Promise<void> {
    const { end } = await this.log.bounds(this.topic, lane);
    if (this.over) return;
    this.tail ??= this.log.tail({
      batch: (batch) => this.take(batch),
      // What was missed is asked for again: a repeated request is answered again.
      outOfRange: (_, gone) => void this.lanes.delete(gone),
      defect: (_, gone) => void this.lanes.delete(gone),
    });
    this.tail.follow(this.topic, lane, end);
  }

  private take({ records }: TailBatch): void {
    if (this.waiting.size === 0) return;
    for (const { value, headers } of records) {
      const decoded = decode(replyKind, value, headers);
      if (!decoded.ok) continue;
      const { data } = decoded.message;
      for (const hearing of this.waiting.get(data.requestId) ?? []) hearing.heard(data);
    }
  }
}

/** Waits for the answer to one request. */
export class Hearing {
  private first: Answer | null = null;
  private over = false;
  private wake: () => void = nothing;

  constructor(readonly end: () => void) {}

  heard(answer: Answer): void {
    this.first ??= answer;
    this.wake();
  }

  /** Waits no more, now and later. */
  giveUp(): void {
    this.over = true;
    this.wake();
  }

  /** Fulfilled with the answer, or with null after `ms` or when it is given up. */
  async wait(timer: Timer, ms: number): Promise<Answer | null> {
    if (this.first === null && !this.over && ms > 0) {
      await new Promise<void>((resolve) => {
        const cancel = timer.after(ms, resolve);
        this.wake = () => {
          cancel();
          resolve();
        };
      });
    }
    return this.first;
  }
}

const nothing = (): void => undefined;
