import type { Verdict } from '@holdfast/contracts';
import type { Scenario } from '../scenario/scenario.js';
import type { Violated } from './invariant.js';

/** How long after a doubt is settled its reconciler may still be answering, ms. */
const ANSWERING_MS = 400;

type Definitive = {
  readonly id: string;
  readonly doubt: string;
  readonly lane: number;
  readonly offset: number;
  /** Whether it was taken without settling its doubt; null: it was not taken yet. */
  wasDropped: boolean | null;
};

/** Verdicts as they are written, held against the doubts that they name. */
export class VerdictChecks {
  private readonly definitive = new Map<string, Definitive>();
  private readonly settledAt = new Map<string, number>();
  private readonly isUndisturbed: boolean;

  constructor(
    private readonly now: () => number,
    private readonly violated: Violated,
    { faults, losses, slowMs }: Pick<Scenario, 'faults' | 'losses' | 'slowMs'>,
  ) {
    const isElsewhere = ({ process }: { readonly process: string }): boolean => !process.startsWith('reconciler');
    this.isUndisturbed = slowMs <= 50 && faults.every(isElsewhere) && losses.every(isElsewhere);
  }

  settled(runId: string, doubtSeq: number): void {
    this.settledAt.set(`${runId} ${doubtSeq}`, this.now());
  }

  /** A coordinator has taken all verdicts of the lane below `next`. */
  taken(lane: number, next: number): void {
    for (const verdict of this.definitive.values()) {
      if (verdict.lane !== lane || verdict.offset >= next) continue;
      verdict.wasDropped ??= !this.settledAt.has(verdict.doubt);
    }
  }

  written({ id, data }: Verdict, lane: number, offset: number): void {
    const { runId, doubtSeq, judgedBy, verdict } = data;
    const doubt = `${runId} ${doubtSeq}`;
    const settledAgoMs = this.now() - (this.settledAt.get(doubt) ?? Infinity);
    if (this.isUndisturbed && settledAgoMs > ANSWERING_MS)
      this.violated('onlyOpenDoubtsAreJudged', `doubt ${doubtSeq} of ${runId} was settled ${settledAgoMs} ms ago`);
    if (verdict === 'unknown') return;
    const key = `${doubt} ${judgedBy}`;
    const known = this.definitive.get(key);
    if (known?.id === id) return;
    this.definitive.set(key, { id, doubt, lane, offset, wasDropped: null });
    if (known !== undefined && known.wasDropped !== true)
      this.violated('oneDefinitiveVerdict', `${judgedBy} has judged doubt ${doubtSeq} of ${runId} twice`);
  }
}
