import type { SnapshotSlot, TopicNames } from '@holdfast/contracts';
import type { LaneAnchor, LaneCapture, RestoredLane } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { findSnapshot, sha256, writeSnapshot, type Clock, type Packing, type Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import type { Rules } from '../run/rules.js';

export type LaneSnapshotsParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: ServiceLogger;
  readonly lane: number;
  readonly rules: Pick<Rules, 'snapshotAnchored'>;
  readonly packing?: Packing | undefined;
};

/** Reads and writes the snapshots of one lane. Whatever goes wrong here costs time and nothing else. */
export class LaneSnapshots {
  /** Where the last one is that is believed: the next one goes elsewhere. */
  #slot: SnapshotSlot | null = null;

  constructor(readonly parts: LaneSnapshotsParts) {}

  async read(beyond: number): Promise<RestoredLane | null> {
    const { names, timer, logger, lane, rules } = this.parts;
    const { restored, slot } = await findSnapshot({
      ...this.#topic(),
      history: names.history,
      beyond,
      patience: { timer },
      comparesAnchor: rules.snapshotAnchored,
      ignored: (about) => logger.warn({ lane, ...about }, 'a snapshot is ignored'),
    });
    this.#slot = slot ?? this.#slot;
    failpoint('coordinator.snapshot.read');
    return restored;
  }

  async write(anchor: LaneAnchor, capture: LaneCapture, wanted: () => boolean): Promise<void> {
    const { clock, logger, lane } = this.parts;
    const began = clock.monotonic();
    const options = { ...this.#topic(), now: clock.now(), last: this.#slot, wanted };
    failpoint('coordinator.snapshot.before');
    const answer = await writeSnapshot(options, { anchor, capture });
    failpoint('coordinator.snapshot.after');
    const about = { lane, seq: anchor.seq, offset: anchor.offset, tookMs: Math.round(clock.monotonic() - began) };
    if (!answer.written) return logger.warn({ ...about, detail: answer.detail }, 'a snapshot could not be written');
    this.#slot = answer.slot;
    logger.info({ ...about, pieces: answer.pieces, bytes: answer.bytes }, 'a snapshot is written');
  }

  #topic() {
    const { log, names, lane, packing } = this.parts;
    return { log, topic: names.snapshots, lane, digest: sha256, ...(packing === undefined ? {} : { packing }) };
  }
}
