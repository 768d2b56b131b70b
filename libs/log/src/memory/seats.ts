import { assignSeats } from '../sticky.js';
import type { CommittedPosition, SeatMembership, SeatPool, Seats } from '../seats.port.js';
import type { MemoryCluster } from './cluster.js';

/**
 * The groups of a simulated cluster. Seats are shared like in a real group (sticky) at each join and leave, or moved by
 * hand; a silenced member believes for as long as the test likes, as a real one does until its clock tells it.
 */
export class MemoryGroups {
  private readonly groups = new Map<string, Group>();

  constructor(private readonly cluster: MemoryCluster) {}

  /** `Seats` for one process; `member` is its name in all groups. */
  seats(member: string): Seats {
    return {
      join: async (pool, changed) => this.group(pool).join(member, changed),
    };
  }

  /** Gives exactly these seats to these members; all others hold none. Members hear of it in a microtask. */
  move(pool: SeatPool, shares: Readonly<Record<string, readonly number[]>>): void {
    this.group(pool).share(new Map(Object.entries(shares)));
  }

  /** The group drops a member and gives its seats to the others; it does not hear of it until `hear`. */
  evict(pool: SeatPool, member: string): void {
    this.group(pool).evict(member);
  }

  /** A silenced or evicted member learns what it really holds. */
  hear(pool: SeatPool, member: string): void {
    this.group(pool).hear(member);
  }

  private group(pool: SeatPool): Group {
    const found = this.groups.get(pool.group);
    if (found !== undefined) return found;
    const group = new Group(pool, () => this.cluster.spec(pool.topic)?.partitions ?? 0);
    this.groups.set(pool.group, group);
    return group;
  }
}

class Group {
  private readonly members = new Map<string, Member>();
  private readonly positions = new Map<string, CommittedPosition>();

  constructor(
    readonly pool: SeatPool,
    private readonly seats: () => number,
  ) {}

  join(name: string, changed: (held: ReadonlySet<number>) => void): SeatMembership {
    if (this.members.has(name)) throw new Error(`${name} is a member already`);
    const member = new Member(name, this, changed);
    this.members.set(name, member);
    this.assign();
    return member;
  }

  drop(member: Member): void {
    if (this.members.get(member.name) !== member) return;
    this.members.delete(member.name);
    this.assign();
  }

  evict(name: string): void {
    const member = this.members.get(name);
    if (member === undefined) return;
    member.given = new Set();
    member.isDeaf = true;
    this.assign();
  }

  hear(name: string): void {
    const member = this.members.get(name);
    if (member === undefined) return;
    member.isDeaf = false;
    this.assign();
  }

  share(shares: ReadonlyMap<string, readonly number[]>): void {
    for (const member of this.members.values()) member.give(shares.get(member.name) ?? []);
  }

  commit(positions: readonly CommittedPosition[]): void {
    for (const at of positions) this.positions.set(`${at.partition} ${at.topic}`, at);
  }

  committed(topics: readonly string[]): readonly CommittedPosition[] {
    return [...this.positions.values()].filter(({ topic }) => topics.includes(topic));
  }

  private assign(): void {
    const present = [...this.members.values()].filter(({ isDeaf }) => !isDeaf);
    const claims = present.map(({ name, given }) => ({ member: name, held: [...given], fresh: true }));
    const shares = assignSeats(this.seats(), claims);
    for (const member of present) member.give(shares.get(member.name) ?? []);
  }
}

class Member implements SeatMembership {
  /** What the group says; what the member believes may be older. */
  given: ReadonlySet<number> = new Set();
  isDeaf = false;
  private believed: ReadonlySet<number> = new Set();
  private left = false;

  constructor(
    readonly name: string,
    private readonly group: Group,
    private readonly changed: (held: ReadonlySet<number>) => void,
  ) {}

  holds(seat: number): boolean {
    return this.believed.has(seat);
  }

  held(): ReadonlySet<number> {
    return this.believed;
  }

  commit(positions: readonly CommittedPosition[]): Promise<void> {
    if (this.left || this.isDeaf) return Promise.reject(new Error('not a member of the group'));
    this.group.commit(positions);
    return Promise.resolve();
  }

  committed(topics: readonly string[]): Promise<readonly CommittedPosition[]> {
    return Promise.resolve(this.group.committed(topics));
  }

  leave(): Promise<void> {
    this.left = true;
    this.tell(new Set());
    this.group.drop(this);
    return Promise.resolve();
  }

  give(seats: readonly number[]): void {
    this.given = new Set(seats);
    if (this.isDeaf) return;
    const given = this.given;
    queueMicrotask(() => {
      if (!this.left && this.given === given && !this.isDeaf) this.tell(given);
    });
  }

  private tell(held: ReadonlySet<number>): void {
    const same = held.size === this.believed.size && [...held].every((seat) => this.believed.has(seat));
    this.believed = held;
    if (!same) this.changed(held);
  }
}
