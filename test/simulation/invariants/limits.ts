import { exceeded, limitsOf, shortageWords, type Amounts, type HistoryRecord, type RunState } from '@holdfast/events';
import type { Scenario } from '../scenario/scenario.js';
import type { Violated } from './invariant.js';

/** What runs with small limits have used and reserved, and what the ledger holds of them. */
export class LimitChecks {
  /** The most of each kind, by run. No tool here reports a use, so all of it can be capped. */
  private readonly limits: ReadonlyMap<string, Amounts>;
  private readonly effects = new Map<string, number>();

  constructor(
    { runs }: Scenario,
    private readonly runOf: (runId: string) => RunState | undefined,
    private readonly violated: Violated,
  ) {
    this.limits = new Map(
      runs.flatMap(({ runId, budget }) => (budget === undefined ? [] : [[runId, limitsOf(budget).amounts]])),
    );
  }

  add({ event, subject }: HistoryRecord): void {
    const runId = subject ?? '';
    const most = this.limits.get(runId);
    if (most === undefined) return;
    const run = this.runOf(runId);
    const spent = event.type === 'RunEnded' ? event.data.spent : run?.status === 'ended' ? undefined : run?.spent;
    const above = exceeded(most, spent ?? {});
    if (above.length > 0) this.violated('limitsHold', `${runId}: ${above.map(shortageWords).join('; ')}`);
  }

  /** An effect has come into the ledger. */
  applied(runId: string): void {
    const count = (this.effects.get(runId) ?? 0) + 1;
    this.effects.set(runId, count);
    const most = this.limits.get(runId)?.['effects'] ?? Infinity;
    if (count > Number(most)) this.violated('limitsHold', `${runId} has ${count} effects, ${most} are allowed`);
  }
}
