import { decodeHistory, foldRecord, newLane, type LaneState } from '@holdfast/events';
import { takeChanges, project } from '../../apps/gateway/src/projection/lane.project.js';
import { newLaneView, type LaneView } from '../../apps/gateway/src/projection/lane.view.js';
import { MemoryStore } from '../../apps/gateway/src/store/memory-store.js';
import { digest } from './digest.js';

const topic = 'history';

/** Folds a lane's history and projects it into a store, with a chunk wherever `isBorder` says so and at the end. */
export const projected = (
  values: readonly Uint8Array[],
  isBorder: (offset: number) => boolean = () => false,
): { readonly store: MemoryStore; readonly view: LaneView; readonly lane: LaneState } => {
  const lane = newLane();
  const view = newLaneView(0);
  const store = new MemoryStore();
  const source = { topic, partition: 0 };
  const flush = (to: number) => {
    const from = store.positionNow(source);
    if (to > from && !store.writeNow({ source, from, to, changes: takeChanges(view) })) throw new Error('not written');
  };
  for (const [offset, value] of values.entries()) {
    const decoded = decodeHistory(value);
    if (!decoded.ok) throw new Error(decoded.problem);
    const { record } = decoded;
    if (foldRecord(lane, record, digest(value), digest) === 'valid')
      project(view, { record, offset, at: Date.parse(record.time) }, lane);
    if (isBorder(offset)) flush(offset + 1);
  }
  flush(values.length);
  return { store, view, lane };
};
