import type { HistoryRecord, RunEventData } from '@holdfast/events';
import { keysOf, lastOf, type Scenario } from '../scenario/scenario.js';
import type { Violated } from './invariant.js';

/** Keys that runs on all lanes share. */
export class KeyChecks {
  /** The key of each run that shares one. */
  private readonly keys = new Map<string, string>();
  private readonly holders = new Map<string, string>();
  private readonly granted = new Set<string>();

  constructor(
    private readonly scenario: Scenario,
    private readonly violated: Violated,
  ) {}

  add({ event, subject }: HistoryRecord): void {
    const runId = subject ?? '';
    const key = this.keys.get(runId);
    switch (event.type) {
      case 'RunAccepted':
        if (event.data.concurrency !== undefined) this.keys.set(runId, event.data.concurrency.key);
        return;
      case 'KeyGranted':
        return this.grants(runId, event.data.key);
      case 'StepScheduled':
        if (key !== undefined && this.holders.get(key) !== runId)
          this.violated(
            'oneHolderPerKey',
            `${runId} works without ${key}, ${this.holders.get(key) ?? 'nobody'} has it`,
          );
        return;
      case 'RunEnded':
        if (key !== undefined && this.holders.get(key) === runId) this.holders.delete(key);
        return;
      default:
        return;
    }
  }

  /** Whoever asked has ended, and a last run has got each key. */
  atEnd(ends: ReadonlyMap<string, RunEventData<'RunEnded'>>): void {
    for (const [runId, key] of this.keys) {
      if (!ends.has(runId))
        this.violated('keyIsNeverStuck', `${runId} has not ended, ${this.holders.get(key)} has ${key}`);
    }
    for (const key of keysOf(this.scenario)) {
      if (!this.granted.has(lastOf(key)))
        this.violated('keyIsNeverStuck', `the last run that wants ${key} does not get it`);
    }
  }

  private grants(runId: string, key: string): void {
    const holder = this.holders.get(key);
    if (holder !== undefined && holder !== runId)
      this.violated('oneHolderPerKey', `${runId} gets ${key}, which ${holder} has`);
    this.holders.set(key, runId);
    this.granted.add(runId);
  }
}
