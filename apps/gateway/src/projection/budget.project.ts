import { amountOf, isSharedEvent, type LaneState } from '@holdfast/events';
import type { LaneView } from './lane.view.js';
import type { Told } from './told.js';

/** Brings the rows of a tenant's budget up to date, where an event is about one. */
export const projectBudgets = (view: LaneView, { record, offset }: Told, lane: LaneState): void => {
  const { event } = record;
  if (!isSharedEvent(event) || !('tenant' in event.data)) return;
  const owner = event.data.tenant;
  const tenant = lane.shared.tenants[owner];
  if (tenant === undefined) return;
  const { amounts, committed, runs, queue } = tenant;
  const kinds = new Set([...Object.keys(amounts), ...Object.keys(committed), ...knownKinds(view, owner)]);
  const counts = { runs: Object.keys(runs).length, waiting: queue.length };
  for (const kind of kinds) {
    const most = Object.hasOwn(amounts, kind) ? String(amountOf(amounts, kind)) : null;
    const used = String(amountOf(committed, kind));
    view.budgets.put({ owner, kind, lane: view.lane, offset, used, most, ...counts });
  }
};

const knownKinds = (view: LaneView, owner: string): readonly string[] =>
  [...view.budgets.values()].filter((row) => row.owner === owner).map(({ kind }) => kind);
