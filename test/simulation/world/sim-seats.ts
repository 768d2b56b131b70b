import type { MemoryGroups, SeatPool, Seats } from '@holdfast/log';
import type { Dice } from '../engine/dice.js';
import type { SimProcess } from '../engine/process.js';
import type { Schedule } from '../engine/schedule.js';

/** How long a group waits for a silent member, ms. */
const SESSION_MS = 3_000;

type Joined = { readonly pool: SeatPool; isOut: boolean };

export type SeatsParts = {
  readonly schedule: Schedule;
  readonly dice: Dice;
  /** The numbers of all seats of a topic. */
  readonly seatsOf: (topic: string) => readonly number[];
};

/** The seats of one process life: it hears of changes late, and the group gives up on it when it is silent. */
export class SimSeats {
  private readonly joined: Joined[] = [];

  constructor(
    private readonly process: SimProcess,
    private readonly groups: MemoryGroups,
    private readonly parts: SeatsParts,
  ) {}

  readonly seats: Seats = {
    join: async (pool, changed) => {
      const { process } = this;
      const { dice } = this.parts;
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
    this.parts.schedule.after(SESSION_MS, () => {
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

  /** All seats of the groups that it has joined go to one member, and everybody hears of it. */
  giveAll({ id }: SimProcess): void {
    for (const { pool } of this.joined) this.groups.move(pool, { [id]: this.parts.seatsOf(pool.topic) });
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
