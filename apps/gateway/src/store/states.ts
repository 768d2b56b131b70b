import { evolve, isLaneEvent, type RunState } from '@holdfast/events';
import { eventOf, eventsBetween, readLastEvent } from './read-events.js';
import type { EventRow } from './tables.js';
import type { Rows } from './rows.js';

/** A run as it was after one of its events. */
export type StateAt = { readonly run: RunState; readonly row: EventRow };

/** How many states are kept to go on from: they share most of what they hold. */
const KEPT = 200;

/**
 * Runs as they were after any of their events, folded out of the `events` table. What was folded before is gone on from,
 * so that going through a long run one event at a time does not fold it anew each time.
 */
export class States {
  private readonly kept = new Map<string, StateAt>();

  constructor(private readonly db: Rows) {}

  /**
   * The run after its last event up to the number `seq`, or after its last one of all; null where it was not accepted
   * by then. Of a run id that was used twice it is the run that had it then.
   */
  async at(runId: string, seq = Number.MAX_SAFE_INTEGER): Promise<StateAt | null> {
    const accepted = await readLastEvent(this.db, { runId, type: 'RunAccepted', upTo: seq });
    if (accepted === null) return null;
    const life = `${runId}/${accepted.seq}`;
    const known = this.nearest(life, seq);
    let run = known?.run;
    let last = known?.row ?? accepted;
    for await (const rows of eventsBetween(this.db, runId, known?.row.seq ?? accepted.seq - 1, seq)) {
      for (const row of rows) {
        const event = eventOf(row);
        if (isLaneEvent(event)) continue;
        run = evolve(run, event, row.seq);
        last = row;
      }
    }
    if (run === undefined) return null;
    const state = { run, row: last };
    this.keep(`${life}/${last.seq}`, state);
    return state;
  }

  private nearest(life: string, seq: number): StateAt | null {
    let best: StateAt | null = null;
    for (const [key, state] of this.kept) {
      const fits = key.startsWith(`${life}/`) && state.row.seq <= seq;
      if (fits && state.row.seq > (best?.row.seq ?? -1)) best = state;
    }
    return best;
  }

  private keep(key: string, state: StateAt): void {
    this.kept.delete(key);
    this.kept.set(key, state);
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT && oldest !== undefined) this.kept.delete(oldest);
  }
}
