import { encode } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { WatchedClock } from '@holdfast/service';

export type BeatsParts = {
  /** Appends to it are what compares the clock. */
  readonly log: Log;
  readonly topic: string;
  readonly clock: WatchedClock;
  readonly reconciler: string;
};

/** Before the next one, when the last has not borne the clock out. */
const AGAIN_MS = 500;

/** Says now and then that the reconciler lives: it may write no verdict for days, and the first must not be by a wrong clock. */
export class Beats {
  private isUnderWay = false;
  private sentAt = -Infinity;
  private count = 0;

  constructor(private readonly parts: BeatsParts) {}

  /** To be called every so often, with the lanes that are held. */
  tick(lanes: readonly number[]): void {
    const { clock } = this.parts;
    if (this.isUnderWay || !clock.wantsProof || clock.monotonic() - this.sentAt < AGAIN_MS) return;
    this.sentAt = clock.monotonic();
    void this.send(lanes);
  }

  private async send(lanes: readonly number[]): Promise<void> {
    const { log, topic, clock, reconciler } = this.parts;
    this.isUnderWay = true;
    this.count += 1;
    const at = clock.now();
    const value = encode({
      type: 'ReconcilerBeat',
      version: 1,
      id: `${reconciler}/${this.count}`,
      source: 'holdfast/reconciler',
      subject: null,
      time: new Date(at).toISOString(),
      principal: null,
      data: { reconciler, lanes: [...lanes], at },
    });
    await log.append(topic, 0, [{ key: reconciler, value }]);
    this.isUnderWay = false;
  }
}
