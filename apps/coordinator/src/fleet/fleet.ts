import type { Beat } from '@holdfast/contracts';
import type { FleetView, QueueView } from '../run/env.js';

type Data<T extends Beat['type']> = Extract<Beat, { type: T }>['data'];
type Seen<D> = { readonly beat: D; readonly seenAt: number };

/** What executors serve and what other coordinators want, from heartbeats that are younger than the lease. */
export class Fleet {
  readonly #executors = new Map<string, Seen<Data<'ExecutorBeat'>>>();
  readonly #coordinators = new Map<string, Seen<Data<'CoordinatorBeat'>>>();

  constructor(readonly leaseMs: number) {}

  /** `now` is monotonic, ms. */
  executor(beat: Data<'ExecutorBeat'>, now: number): void {
    this.#executors.set(beat.executor, { beat, seenAt: now });
  }

  coordinator(beat: Data<'CoordinatorBeat'>, now: number): void {
    this.#coordinators.set(beat.coordinator, { beat, seenAt: now });
  }

  /** The session serves nothing any more. */
  ended(session: string): void {
    for (const [id, { beat, seenAt }] of this.#executors) {
      const sessions = beat.sessions.filter((known) => known.session !== session);
      if (sessions.length < beat.sessions.length) this.#executors.set(id, { beat: { ...beat, sessions }, seenAt });
    }
  }

  /** `claimsEnd` answers the known end of a claims partition; a partition without one is not used yet. */
  view(
    now: number,
    own: { readonly coordinator: string; readonly demand: Readonly<Record<string, number>> },
    claimsEnd: ClaimsEnd,
  ): FleetView {
    this.#forget(now);
    const queues: Record<string, Building> = {};
    for (const { beat } of this.#executors.values()) {
      if (!beat.sessions.some(({ state }) => state === 'open')) continue;
      for (const [queue, served] of Object.entries(beat.queues)) {
        const view = (queues[queue] ??= { partitions: new Map(), slots: 0 });
        for (const partition of served.partitions) {
          const tools = view.partitions.get(partition) ?? new Set<string>();
          for (const tool of beat.tools) tools.add(tool);
          view.partitions.set(partition, tools);
        }
        view.slots += served.slots;
      }
    }
    return {
      queues: Object.fromEntries(
        Object.entries(queues).map(([queue, view]) => [queue, this.#queue(queue, view, own, claimsEnd)]),
      ),
    };
  }

  /** All queue partitions that somebody serves. */
  served(): readonly { readonly queue: string; readonly partition: number }[] {
    const all = new Map<string, { queue: string; partition: number }>();
    for (const { beat } of this.#executors.values()) {
      for (const [queue, { partitions }] of Object.entries(beat.queues)) {
        for (const partition of partitions) all.set(`${queue}/${partition}`, { queue, partition });
      }
    }
    return [...all.values()];
  }

  #queue(
    queue: string,
    { partitions, slots }: Building,
    own: { readonly coordinator: string; readonly demand: Readonly<Record<string, number>> },
    claimsEnd: ClaimsEnd,
  ): QueueView {
    const known = [...partitions]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([partition, tools]) => {
        const end = claimsEnd(queue, partition);
        return end === null ? [] : [{ partition, claimsEnd: end, tools }];
      });
    let lanesWanting = own.demand[queue] ?? 0;
    for (const [id, { beat }] of this.#coordinators)
      if (id !== own.coordinator) lanesWanting += beat.demand[queue] ?? 0;
    return { partitions: known, slots, lanesWanting: Math.max(1, lanesWanting) };
  }

  #forget(now: number): void {
    for (const known of [this.#executors, this.#coordinators] as Map<string, { seenAt: number }>[]) {
      for (const [id, { seenAt }] of known) if (now - seenAt > this.leaseMs) known.delete(id);
    }
  }
}

type Building = { readonly partitions: Map<number, Set<string>>; slots: number };
type ClaimsEnd = (queue: string, partition: number) => number | null;
