import { restoreAt, restoreRow, snapshotRows, type RestoredLane } from '@holdfast/events';
import type { LaneOutput } from '../../apps/coordinator/src/lane/lane.types.js';

/** What was taken, written down as text and read again, as whoever takes the lane over would have it. */
export const readAgain = ({ anchor, capture }: Extract<LaneOutput, { type: 'TakeSnapshot' }>): RestoredLane => {
  const restored = restoreAt(anchor);
  for (const row of snapshotRows(capture)) restoreRow(restored, JSON.parse(JSON.stringify(row)) as unknown);
  return restored;
};
