import { captureLane, LIMITS, newLane, type RestoredLane } from '@holdfast/events';
import type { Facts, LaneMachine, LaneOutput } from './lane.types.js';

/** Before history is read a snapshot is looked for; null where none would be of use. */
export const seek = (machine: LaneMachine): readonly LaneOutput[] | null => {
  const { snapshotEvents } = machine.setting.settings;
  if (snapshotEvents === 0) return null;
  machine.seeking = true;
  // What the lane has folded already it keeps, unless very much has come since.
  return [{ type: 'ReadSnapshot', beyond: machine.next === 0 ? 0 : machine.next + snapshotEvents }];
};

/** Goes on from a snapshot where one was found. False for an answer that nobody waits for any more. */
export const restored = (machine: LaneMachine, found: RestoredLane | null): boolean => {
  if (machine.phase !== 'reading' || !machine.seeking) return false;
  machine.seeking = false;
  if (found === null || found.next <= machine.next) return true;
  machine.lane = found.lane;
  machine.next = found.next;
  machine.unreacted = found.unreacted;
  machine.snapshot = { ...machine.snapshot, seq: found.lane.seq };
  machine.isRestored = true;
  return true;
};

/** The snapshot is none of this history. */
export const dropped = (machine: LaneMachine, reason: string): LaneOutput => {
  machine.lane = newLane();
  machine.next = 0;
  machine.unreacted = [];
  machine.readTo = null;
  machine.snapshot = { ...machine.snapshot, seq: -1 };
  machine.isRestored = false;
  return { type: 'DropSnapshot', reason };
};

/** To be asked when a batch of this lane is known to be the end of history: only then is its state a snapshot's. */
export const takeSnapshot = (machine: LaneMachine, { now }: Facts): readonly LaneOutput[] => {
  const { lane, next, snapshot, unreacted, setting } = machine;
  const { snapshotEvents, snapshotEveryMs } = setting.settings;
  if (snapshotEvents === 0 || snapshot.open || lane.seq - snapshot.seq < snapshotEvents) return [];
  if (now - snapshot.at < snapshotEveryMs || unreacted.length > LIMITS.snapshotUnreactedMax) return [];
  machine.snapshot = { seq: lane.seq, at: now, open: true };
  const { epoch, seq, chain } = lane;
  const anchor = { offset: next, epoch, seq, owner: setting.owner, chain };
  return [{ type: 'TakeSnapshot', anchor, capture: captureLane(lane, unreacted) }];
};
