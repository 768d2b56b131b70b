import type { LaneRecord } from '@holdfast/sdk';
import type { LaneState } from '@holdfast/events';
import type { Changes, RowsByTable } from '../projection/changes.js';
import { project, takeChanges } from '../projection/lane.project.js';
import { newLaneView } from '../projection/lane.view.js';
import type { Snapshot } from '../store/pg-rows.js';
import type { TableName } from '../store/tables.js';
import { byOffset, compare, type Difference, type Missing } from './difference.js';

/** Of which tables the rows of a lane are counted, with the column that says when a row was first written. */
const COUNTED = {
  runs: 'acceptedSeq',
  steps: 'firstSeq',
  attempts: 'firstSeq',
  doubts: 'seq',
  questions: 'seq',
} as const;
export const countedTables = Object.keys(COUNTED) as readonly (keyof typeof COUNTED)[];

export type ShadowRules = {
  /** Runs that ended, and what lanes said of themselves, before this moment may have been deleted; null: nothing may. */
  readonly deletedBefore: () => number | null;
};

/**
 * One pass over a lane: its history folded anew, and the rows that follow held against the database, chunk by chunk.
 * Decides everything, asks nobody.
 */
export class LaneShadow {
  private readonly view;
  private next = 0;
  private chunkFrom = 0;
  private readonly counts = new Map<TableName, number>();
  private readonly missing = new Map<string, Missing>();
  private isCountable = true;
  private first: Difference | null = null;

  constructor(
    readonly lane: number,
    private readonly rules: ShadowRules,
  ) {
    this.view = newLaneView(lane);
  }

  /** The difference at the lowest offset that was found so far. */
  get found(): Difference | null {
    return this.first;
  }

  /** The record after the last one taken. */
  get end(): number {
    return this.next;
  }

  take(told: LaneRecord, state: LaneState): void {
    if (told.folded === 'valid') project(this.view, told, state);
    this.next = told.offset + 1;
  }

  /** Rows as of the last record, to be held against a snapshot whose position is not before `end`. */
  chunk(): RowsByTable {
    const changes = takeChanges(this.view);
    this.count(changes);
    this.chunkFrom = Math.max(this.chunkFrom, (changes.rows.lanes?.[0]?.seq ?? this.chunkFrom - 1) + 1);
    return changes.rows;
  }

  compare(rows: RowsByTable, snapshot: Snapshot): void {
    const { differences, missing, replaced } = compare(this.lane, rows, snapshot);
    if (replaced > 0) this.isCountable = false;
    for (const one of missing) this.note(one);
    for (const difference of differences) this.report(difference);
    for (const run of rows.runs ?? []) if (run.endedAt !== null) this.judge(run.runId, run.endedAt);
  }

  /** At the end of the lane: what is missing of runs that are not over, and whether there are more rows than there should be. */
  finish(snapshot: Snapshot): void {
    for (const one of this.missing.values()) this.report(one);
    this.missing.clear();
    if (!this.isCountable || this.rules.deletedBefore() !== null || snapshot.position !== this.next) return;
    for (const table of countedTables) {
      const [there, wanted] = [snapshot.counts.get(table) ?? 0, this.counts.get(table) ?? 0];
      if (there === wanted) continue;
      const what = `there are ${there} rows of the lane, not ${wanted}`;
      this.report({ lane: this.lane, offset: this.next, table, key: '', what });
    }
  }

  private count({ rows }: Changes): void {
    for (const [table, column] of Object.entries(COUNTED) as [keyof typeof COUNTED, string][]) {
      const all = (rows[table] ?? []) as readonly Readonly<Record<string, unknown>>[];
      const begun = all.filter((row) => Number(row[column]) >= this.chunkFrom).length;
      this.counts.set(table, (this.counts.get(table) ?? 0) + begun);
    }
  }

  /** Rows of a run may be missing since it was deleted: that is judged when its end is known. */
  private note(missing: Missing): void {
    const { runId, writtenAt } = missing;
    const deletedBefore = this.rules.deletedBefore();
    if (deletedBefore === null) return this.report(missing);
    if (runId === null) {
      // What the lane itself has said goes by its own age.
      if (writtenAt === null || writtenAt >= deletedBefore) this.report(missing);
      return;
    }
    const known = this.missing.get(runId);
    if (known === undefined || missing.offset < known.offset) this.missing.set(runId, missing);
  }

  private judge(runId: string, endedAt: number): void {
    const missing = this.missing.get(runId);
    if (missing === undefined) return;
    this.missing.delete(runId);
    if (endedAt >= (this.rules.deletedBefore() ?? -Infinity)) this.report(missing);
  }

  private report(difference: Difference): void {
    if (this.first === null || byOffset(difference, this.first) < 0) this.first = difference;
  }
}
