import type { Metrics } from '@holdfast/telemetry';
import type { Output } from '../session/session.messages.js';

/** Counts what becomes of claims, out of what the session machine asks for. */
export class ClaimsCount {
  private readonly claimed = new Set<string>();

  constructor(
    private readonly metrics: Metrics,
    /** Whether the attempt is not over for this process. */
    private readonly isOpen: (attemptId: string) => boolean,
  ) {}

  see(output: Output): void {
    if (output.type === 'append-claims') {
      if (output.tries === 0) for (const { attemptId } of output.claims) this.claimed.add(attemptId);
    } else if (
      output.type === 'start-call' ||
      (output.type === 'write-journal' && output.entry.type !== 'AttemptRefused')
    ) {
      // Only whoever holds the first claim calls, or says why not.
      if (this.claimed.delete(output.attemptId)) this.metrics.add('holdfast_claims_total', { outcome: 'won' });
    }
  }

  /** To be called now and then. */
  sweep(): void {
    for (const attemptId of this.claimed) {
      if (this.isOpen(attemptId)) continue;
      this.claimed.delete(attemptId);
      this.metrics.add('holdfast_claims_total', { outcome: 'lost' });
    }
  }
}
