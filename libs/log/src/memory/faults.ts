import type { Bounds, Entry } from '../log.port.js';
import type { MemoryPartition } from './cluster.js';

export type Attempted = { readonly topic: string; readonly partition: number; readonly records: readonly Entry[] };

/**
 * What becomes of one append: it goes through; it is appended but the answer is lost; it is appended twice and the
 * answer is lost; it never arrives; it arrives when released, or never. All but the first are answered `unknown`.
 */
export type Fate = 'through' | 'answer_lost' | 'twice' | 'lost' | 'held';

/** An append on its way. `arrive` may be called again: a late repeat. */
export type HeldAppend = Attempted & {
  /** Lets it arrive now; gives the offset where it landed. */
  arrive(): number;
};

/** Faults of one process's way to the log. Each log has its own, so that processes can differ in what they see. */
export class MemoryFaults {
  /** Appends that are on their way and may arrive at any later time. */
  readonly held: HeldAppend[] = [];
  private readonly next: { fate: Fate; matches: (append: Attempted) => boolean }[] = [];
  private readonly ends = new Map<MemoryPartition, number>();
  private readonly listeners = new Set<() => void>();
  private melt: () => void = () => undefined;
  private frozenUntil: Promise<void> | null = null;
  private away = false;

  constructor(
    private readonly decide: (append: Attempted) => Fate,
    private readonly find: (topic: string, partition: number) => MemoryPartition,
  ) {}

  /** The next append that matches has this fate. Several are used up in call order. */
  nextAppend(fate: Fate, matches: (append: Attempted) => boolean = () => true): void {
    this.next.push({ fate, matches });
  }

  /** The fate of an append that is made now; uses up a planned one. */
  fateOf(append: Attempted): Fate {
    const index = this.next.findIndex(({ matches }) => matches(append));
    const [planned] = index < 0 ? [] : this.next.splice(index, 1);
    return planned?.fate ?? this.decide(append);
  }

  /** Reads answer as if nothing were appended from now on (a stale leader, or a hidden record), until `catchUp`. */
  lag(topic: string, partition: number): void {
    const found = this.find(topic, partition);
    this.ends.set(found, found.bounds().end);
  }

  catchUp(topic: string, partition: number): void {
    this.ends.delete(this.find(topic, partition));
    this.change();
  }

  /** The bounds as this process sees them. */
  seen(partition: MemoryPartition): Bounds {
    const { start, end } = partition.bounds();
    return { start, end: Math.min(end, this.ends.get(partition) ?? end) };
  }

  /** Nobody answers: reads reject at once, appends are unknown and never arrive. */
  get unavailable(): boolean {
    return this.away;
  }

  set unavailable(away: boolean) {
    this.away = away;
    this.change();
  }

  /** A frozen broker: everything waits; appends that are given up meanwhile arrive at the thaw. */
  freeze(): void {
    this.frozenUntil ??= new Promise((resolve) => {
      this.melt = resolve;
    });
  }

  thaw(): void {
    this.melt();
    this.frozenUntil = null;
    this.change();
  }

  /** Fulfilled at the thaw; `null` when not frozen. */
  get frozen(): Promise<void> | null {
    return this.frozenUntil;
  }

  /** Called back when something that hid records or kept answers away has ended or begun. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private change(): void {
    for (const listener of this.listeners) listener();
  }
}
