import type { Verdict } from '@holdfast/contracts';
import type { Scenario } from '../scenario/scenario.js';
import type { Violated } from './history.js';

/** How long after a doubt is settled its reconciler may still be answering, ms. */
const ANSWERING_MS = 400;

/** Verdicts as they are written, held against the doubts that they name. */
export class VerdictChecks {
  private readonly definitive = new Map<string, string>();
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

  written({ id, data }: Verdict): void {
    const { runId, doubtSeq, judgedBy, verdict } = data;
    const settledAgoMs = this.now() - (this.settledAt.get(`${runId} ${doubtSeq}`) ?? Infinity);
    if (this.isUndisturbed && settledAgoMs > ANSWERING_MS)
      this.violated('onlyOpenDoubtsAreJudged', `doubt ${doubtSeq} of ${runId} was settled ${settledAgoMs} ms ago`);
    if (verdict === 'unknown') return;
    const key = `${runId} ${doubtSeq} ${judgedBy}`;
    const known = this.definitive.get(key);
    this.definitive.set(key, id);
    if (known !== undefined && known !== id)
      this.violated('oneDefinitiveVerdict', `${judgedBy} has judged doubt ${doubtSeq} of ${runId} twice`);
  }
}
