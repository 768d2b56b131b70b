import { deepStrictEqual } from 'node:assert';
import type { TopicNames } from '@holdfast/contracts';
import type { MemoryCluster } from '@holdfast/log';
import { LaneReader, sha256 } from '@holdfast/sdk';
import { project, takeChanges } from '../../../apps/gateway/src/projection/lane.project.js';
import { newLaneView } from '../../../apps/gateway/src/projection/lane.view.js';
import { MemoryStore } from '../../../apps/gateway/src/store/memory-store.js';
import type { Violated } from './invariant.js';
import { count, recordsOf } from './partitions.js';

export type Projected = {
  readonly cluster: MemoryCluster;
  readonly names: TopicNames;
  readonly lanes: number;
  readonly rows: MemoryStore;
};

/** Whether all of history is in the rows. */
export const rowsAtRest = ({ cluster, names, lanes, rows }: Projected): boolean =>
  count(lanes).every((partition) => {
    const { end } = cluster.partition(names.history, partition).bounds();
    return rows.positionNow({ topic: names.history, partition }) === end;
  });

/** Whoever has written the rows, and however they were stopped: they are those that history makes. */
export const rowsEqualRebuild = (projected: Projected, violated: Violated): void => {
  if (!rowsAtRest(projected)) return violated('rowsEqualRebuild', 'not all of history is in the rows');
  countsAgree(projected.rows, violated);
  const rebuilt = rebuild(projected);
  try {
    deepStrictEqual(projected.rows.all(), rebuilt.all());
  } catch (error) {
    violated('rowsEqualRebuild', (error as Error).message.slice(0, 600));
  }
};

/** What a run has counted are the rows that there are of it. */
const countsAgree = (rows: MemoryStore, violated: Violated): void => {
  const { runs, steps } = rows.all();
  for (const { runId, stepsSucceeded, stepsFailed } of runs) {
    const own = steps.filter((row) => row['runId'] === runId);
    const [succeeded, failed] = ['succeeded', 'failed'].map((is) => own.filter(({ status }) => status === is).length);
    if (succeeded === stepsSucceeded && failed === stepsFailed) continue;
    const said = `${String(stepsSucceeded)} and ${String(stepsFailed)}`;
    violated('rowsEqualRebuild', `${String(runId)} counts ${said} steps, and has rows of ${succeeded} and ${failed}`);
  }
};

const rebuild = ({ cluster, names, lanes }: Projected): MemoryStore => {
  const rows = new MemoryStore();
  for (const lane of count(lanes)) {
    const source = { topic: names.history, partition: lane };
    const reader = new LaneReader({ topic: names.history, lane }, sha256);
    const view = newLaneView(lane);
    for (const record of recordsOf(cluster, names.history, lane)) {
      const told = reader.take(record);
      if (told.folded === 'valid') project(view, told, reader.state);
    }
    rows.writeNow({ source, from: 0, to: reader.next, changes: takeChanges(view) });
  }
  return rows;
};
