import type { HistoryRecord, RunEventData } from '@holdfast/events';
import type { Scenario } from '../scenario/scenario.js';
import { BulkChecks } from './bulks.js';
import { ChildChecks } from './children.js';
import type { Violated } from './invariant.js';
import { KeyChecks } from './keys.js';
import { Pace } from './pace.js';
import { StopChecks } from './stops.js';

export type BoundParts = {
  readonly scenario: Scenario;
  /** Virtual ms. */
  readonly now: () => number;
  readonly violated: Violated;
  /** Until when a coordinator has been disturbed, virtual ms. */
  readonly disturbedUntil: () => number;
};

/** What people and other runs set as bounds to a run: stops, keys, parents. */
export class BoundChecks {
  private readonly stops: StopChecks;
  private readonly bulks: BulkChecks;
  private readonly keys: KeyChecks;
  private readonly children: ChildChecks;

  constructor({ scenario, now, violated, disturbedUntil }: BoundParts) {
    const pace = new Pace(scenario, now, disturbedUntil);
    this.stops = new StopChecks(pace, violated);
    this.bulks = new BulkChecks(scenario.lanes, violated);
    this.keys = new KeyChecks(scenario, violated);
    this.children = new ChildChecks(pace, violated);
  }

  add(record: HistoryRecord): void {
    for (const checks of [this.stops, this.bulks, this.keys, this.children]) checks.add(record);
  }

  /** The first claim of an attempt is there; the session is null where it is closed. */
  claimed(attemptId: string, session: string | null): void {
    if (session !== null) this.stops.claimed(attemptId);
  }

  /** Everything has come to rest. */
  atEnd(ends: ReadonlyMap<string, RunEventData<'RunEnded'>>): void {
    this.bulks.atEnd();
    this.keys.atEnd(ends);
    this.children.atEnd();
  }
}
