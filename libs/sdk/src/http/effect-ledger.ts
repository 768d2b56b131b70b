import { GuardRefused, type FailureEffect, type GuardReason } from '../tool/tool-failure.js';

/**
 * What one call may still do and what it may have done. A request that could not be sent says nothing about an earlier
 * one of the same call, so `effect: 'none'` is said only while none is on the books.
 */
export class EffectLedger {
  private begun = 0;
  private over = false;

  /** `refusal` says at the moment of asking why nothing may begin any more, or null. */
  constructor(private readonly refusal: () => GuardReason | null) {}

  get effect(): FailureEffect {
    return this.begun === 0 ? 'none' : 'unknown';
  }

  /** Throws `GuardRefused`, or lets one effect begin. Nothing may be awaited between this and the effect. */
  begin(): void {
    this.check();
    this.begun += 1;
  }

  /** Throws `GuardRefused` where even a reading request would be too late. */
  check(): void {
    const reason = this.over ? 'stopping' : this.refusal();
    if (reason !== null) throw new GuardRefused(reason, this.effect);
  }

  /** One effect that had begun is now known to have changed nothing. */
  undo(): void {
    this.begun -= 1;
  }

  /** The tool has returned or thrown: what it left running may not act any more. */
  close(): void {
    this.over = true;
  }
}
