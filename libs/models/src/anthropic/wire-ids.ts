import type { ModelCall } from '@holdfast/programs';
import { sha256 } from '@holdfast/sdk';

const FITS = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Ids of calls as this API takes them: of letters, digits, `_` and `-`, and none twice in a whole transcript, which other
 * endpoints do not care for. What fits stays as it is; the same transcript always gets the same ids.
 */
export class WireIds {
  private readonly taken = new Set<string>();
  private turn = new Map<string, string>();

  /** The ids of the calls of one turn, in order; what answers them comes before the next turn. */
  ofCalls(calls: readonly ModelCall[]): readonly string[] {
    this.turn = new Map();
    return calls.map(({ id }) => {
      const free = this.free(FITS.test(id) ? id : `call_${sha256(id).slice(0, 24)}`);
      this.turn.set(id, free);
      return free;
    });
  }

  /** The id of the call that a result belongs to. */
  ofResult(callId: string): string {
    return this.turn.get(callId) ?? callId;
  }

  private free(wanted: string): string {
    let id = wanted;
    for (let nth = 2; this.taken.has(id); nth += 1) id = `${wanted.slice(0, 56)}_${nth}`;
    this.taken.add(id);
    return id;
  }
}
