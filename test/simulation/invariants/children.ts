import type { HistoryRecord, Parent, RunEventData } from '@holdfast/events';
import { EPOCH } from '../engine/process.js';
import { TIMES } from '../world/processes.js';
import type { Violated } from './invariant.js';
import type { Pace } from './pace.js';

type Bound = { readonly until: number; readonly since: number };
type Told = { readonly parent: string; readonly data: RunEventData<'ChildEnded'> };

/** Runs that other runs have begun. Times are virtual ms. */
export class ChildChecks {
  private readonly parents = new Map<string, Parent>();
  /** By when what a run has begun is to be over. */
  private readonly bounds = new Map<string, Bound>();
  private readonly ends = new Map<string, RunEventData<'RunEnded'>>();
  /** The ticket of each child, by parent and child. */
  private readonly tickets = new Map<string, string>();
  private readonly refused: Told[] = [];

  constructor(
    private readonly pace: Pace,
    private readonly violated: Violated,
  ) {}

  add({ event, subject }: HistoryRecord): void {
    const runId = subject ?? '';
    switch (event.type) {
      case 'RunAccepted':
        if (event.data.parent !== undefined) this.parents.set(runId, event.data.parent);
        return this.acts(runId, 'is accepted');
      case 'StepScheduled':
        return this.acts(runId, `schedules ${event.data.stepId}`);
      case 'CancelRequested':
      case 'RunSuperseded':
        return this.bind(runId, event.data.deadlineAt - EPOCH);
      case 'RunEnded':
        this.ends.set(runId, event.data);
        this.bind(runId, event.data.endedAt - EPOCH + TIMES.cancelMs);
        return this.acts(runId, 'ends');
      case 'ChildStarted':
        return void this.tickets.set(`${runId} ${event.data.childRunId}`, event.data.ticket);
      case 'ChildEnded':
        return this.told({ parent: runId, data: event.data });
      default:
        return;
    }
  }

  atEnd(): void {
    for (const { parent, data } of this.refused) {
      if (this.isChild(parent, data.childRunId))
        this.violated('parentsAreTold', `${parent} was told that ${data.childRunId} never began`);
    }
  }

  /** The first word counts: a run that is cancelled does not get more time by its end. */
  private bind(runId: string, until: number): void {
    if (!this.bounds.has(runId)) this.bounds.set(runId, { until, since: this.pace.now() });
  }

  /** Whatever a run does, it does before the time of all above it is over, but for those that it may outlive. */
  private acts(runId: string, what: string): void {
    const now = this.pace.now();
    let above = this.parents.get(runId);
    for (let words = 1; above !== undefined && !above.detached; words += 1) {
      const bound = this.bounds.get(above.runId);
      const lateMs = now - Math.max(bound?.until ?? now, bound?.since ?? now);
      if (bound !== undefined && lateMs > this.pace.slackMs(words) && this.pace.isCalmSince(bound.since))
        return this.violated(
          'childrenEndWithTheirParent',
          `${runId} ${what} ${lateMs} ms after the time of ${above.runId}`,
        );
      above = this.parents.get(above.runId);
    }
  }

  private told({ parent, data }: Told): void {
    const { childRunId, reason, totals } = data;
    if (reason === 'refused') return void this.refused.push({ parent, data });
    const end = this.isChild(parent, childRunId) ? this.ends.get(childRunId) : undefined;
    if (end?.reason !== reason || totals?.applied !== end.report.applied)
      this.violated('parentsAreTold', `${parent} was told that ${childRunId} has ended ${reason}, not ${end?.reason}`);
  }

  private isChild(parent: string, childRunId: string): boolean {
    return this.parents.get(childRunId)?.ticket === this.tickets.get(`${parent} ${childRunId}`);
  }
}
