import type { StepOrder } from '@holdfast/contracts';

/** What calls have done outside: tools that honour their keys drop the repeat of one. */
export class ModelEffects {
  /** By idempotency key: how often a call has acted. */
  readonly times = new Map<string, number>();
  readonly policies = new Map<string, string>();

  make({ key, policy }: Pick<StepOrder, 'key' | 'policy'>): void {
    const known = this.times.get(key) ?? 0;
    if (policy !== 'keyed' || known === 0) this.times.set(key, known + 1);
    this.policies.set(key, policy);
  }

  isMade(key: string): boolean {
    return (this.times.get(key) ?? 0) > 0;
  }
}
