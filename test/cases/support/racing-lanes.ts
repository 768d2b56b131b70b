import type { Work } from '../../../apps/coordinator/src/lane/lane.types.js';
import { Reader } from '../../support/history-reader.js';
import { LaneHarness } from '../../support/lane-harness.js';

/**
 * Coordinators that all believe in the seat of the same lane, over one history. What they append arrives when it is told
 * to, in any order; each reads the same inputs from where history stands.
 */
export class RacingLanes {
  readonly racers: readonly LaneHarness[];
  /** Orders that went out although no valid history had their attempt: must be none. */
  readonly unfounded: string[] = [];
  private readonly fed = new Map<LaneHarness, number>();
  private readonly reader: Reader;
  private readonly scheduled = new Set<string>();
  private foundedSeq = 0;

  constructor(
    former: LaneHarness,
    readonly inputs: readonly Work[],
    names: readonly string[],
  ) {
    const { history, clock } = former;
    this.reader = new Reader(history);
    this.racers = names.map((owner) => {
      const lane = new LaneHarness({ owner, history, clock });
      // Another one writes: what it sees lags behind what was written.
      lane.proves = false;
      lane.holdsAppends = true;
      return lane.seat();
    });
  }

  /** Records that count for nobody, since their writer was not the owner any more. */
  get voids(): number {
    return this.reader.catchUp().lane.counts.void;
  }

  /** Attempts that any of them has ordered. */
  get commanded(): readonly string[] {
    return this.racers.flatMap((lane) => lane.commands);
  }

  /** One racer makes its next move. */
  move(which: number): void {
    const lane = this.racers[which % this.racers.length];
    if (lane !== undefined) this.advance(lane);
  }

  /** All but the first learn that the seat is not theirs; it finishes. */
  settle(): LaneHarness {
    const [first, ...others] = this.racers;
    if (first === undefined) throw new Error('nobody races');
    for (const lane of others) {
      while (lane.pending.length > 0) lane.answer();
      lane.unseat();
    }
    for (let round = 0; round < 20; round += 1) this.advance(first);
    return first;
  }

  private advance(lane: LaneHarness): void {
    const before = lane.commands.length;
    this.step(lane);
    for (const { event, subject } of this.reader.catchUp().records.slice(this.foundedSeq)) {
      this.foundedSeq += 1;
      if (event.type === 'StepScheduled') this.scheduled.add(`${subject}/${event.data.stepId}/${event.data.attempt}`);
    }
    this.unfounded.push(...lane.commands.slice(before).filter((id) => !this.scheduled.has(id)));
  }

  private step(lane: LaneHarness): void {
    if (lane.pending.length > 0) return void lane.answer();
    const { phase, term } = lane.machine;
    if (phase === 'leading' && this.fed.get(lane) !== term) {
      this.fed.set(lane, term);
      const from = lane.machine.lane.positions['journal'] ?? 0;
      if (from < this.inputs.length) lane.rewind().arrive(...this.inputs.slice(from));
      return;
    }
    lane.tick(50);
  }
}
