import type { MemoryGroups, SeatPool, Seats } from '@holdfast/log';
import type { Dice } from '../engine/dice.js';
import type { SimProcess } from '../engine/process.js';
import type { Schedule } from '../engine/schedule.js';

/** How long a group waits for a silent member, ms. */
const SESSION_MS = 3_000;

type Joined = { readonly pool: SeatPool; isOut: boolean };

/** The seats of one process life: it hears of changes late, and the group gives up on it when it is silent. */
export class SimSeats {
  private readonly joined: Joined[] = [];

  constructor(
    private readonly process: SimProcess,
    private readonly groups: MemoryGroups,
    private readonly schedule: Schedule,
    private readonly dice: Dice,
  ) {}

  readonly seats: Seats = {
    join: async (pool, changed) => {
      const { process, dice } = this;
      const late = (): number => dice.between(`seats ${process.name}`, 1, 200);
      let believed: ReadonlySet<number> = new Set();
      const hear = (held: ReadonlySet<number>): void =>
        process.after(late(), 'seats', () => {
          believed = held;
          changed(held);
        });
      const member = await this.groups.seats(process.id).join(pool, hear);
      this.joined.push({ pool, isOut: false });
      return { ...bound(member), holds: (seat) => believed.has(seat), held: () => believed };
    },
  };

  /** The process is silent: after a while others get its seats. */
  silent(): void {
    this.schedule.after(SESSION_MS, () => {
      if (!this.process.isAlive || this.process.isFrozen) this.unseat();
    });
  }

  /** The group gives the seats to others; the process does not know. */
  unseat(): void {
    for (const one of this.joined) {
      one.isOut = true;
      this.groups.evict(one.pool, this.process.id);
    }
  }

  /** The process learns what it really holds, and has its share again. */
  rejoin(): void {
    if (!this.process.isAlive) return;
    for (const one of this.joined) {
      if (one.isOut) this.groups.hear(one.pool, this.process.id);
      one.isOut = false;
    }
  }
}

const bound = (member: Awaited<ReturnType<Seats['join']>>) => ({
  commit: member.commit.bind(member),
  committed: member.committed.bind(member),
  leave: member.leave.bind(member),
});
