import type { Breach, Move, System } from './system.js';
import { Edges } from './edges.js';

export type Found = {
  readonly states: number;
  readonly transitions: number;
  /** Moves of the longest of the shortest ways to a state. */
  readonly depth: number;
  /** False when the exploration stopped at its bound. */
  readonly exhausted: boolean;
  readonly breach: (Breach & { readonly trace: readonly string[] }) | null;
  /** How often the states in which nothing is left to do stand how. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The shortest way to a state from which no end can be reached without faults, or null. */
  readonly stuck: { readonly count: number; readonly trace: readonly string[] } | null;
};

/** Visits every state that can be reached, breadth first, so that the first trace to anything is a shortest one. */
export const explore = <S>(system: System<S>, statesMax = Infinity): Found => new Exploration(system, statesMax).run();

class Exploration<S> {
  readonly #numbers = new Map<string, number>();
  /** States that are not expanded yet, oldest first. */
  #frontier: S[] = [];
  #coming: S[] = [];
  readonly #keys: string[] = [];
  readonly #parents: number[] = [];
  readonly #depths: number[] = [];
  readonly #free = new Edges();
  readonly #ends: number[] = [];
  readonly #outcomes = new Map<string, number>();
  #transitions = 0;

  constructor(
    readonly system: System<S>,
    readonly statesMax: number,
  ) {}

  run(): Found {
    let breach = this.#add(this.system.first, -1);
    let next = 0;
    while (breach === null && this.#coming.length > 0 && this.#keys.length < this.statesMax) {
      this.#frontier = this.#coming;
      this.#coming = [];
      for (const state of this.#frontier) {
        breach ??= this.#expand(next, state);
        next += 1;
        if (breach !== null || this.#keys.length >= this.statesMax) break;
      }
    }
    const exhausted = breach === null && next === this.#keys.length;
    return {
      states: this.#keys.length,
      transitions: this.#transitions,
      depth: this.#depths.at(-1) ?? 0,
      exhausted,
      breach,
      outcomes: this.#outcomes,
      stuck: exhausted ? this.#stuck() : null,
    };
  }

  #expand(from: number, state: S): Found['breach'] {
    let rests = true;
    for (const { kind, to } of this.system.moves(state)) {
      this.#transitions += 1;
      const known = this.#keys.length;
      const key = this.system.key(to);
      const number = this.#numbers.get(key) ?? known;
      if (kind === 'step' || kind === 'wait') {
        rests = false;
        this.#free.add(from, number);
      }
      if (number < known) continue;
      const breach = this.#add(to, from, key);
      if (breach !== null) return breach;
    }
    if (rests) {
      const outcome = this.system.outcome(state);
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    }
    return null;
  }

  #add(state: S, parent: number, key = this.system.key(state)): Found['breach'] {
    const number = this.#keys.length;
    this.#coming.push(state);
    this.#numbers.set(key, number);
    this.#keys.push(key);
    this.#parents.push(parent);
    this.#depths.push(parent < 0 ? 0 : (this.#depths[parent] as number) + 1);
    if (this.system.isEnd(state)) this.#ends.push(number);
    const breach = this.system.breach(state);
    return breach === null ? null : { ...breach, trace: this.#traceTo(number) };
  }

  /** States from which no end can be reached by moves without faults. */
  #stuck(): Found['stuck'] {
    const reaches = this.#free.backwardsFrom(this.#ends, this.#keys.length);
    const first = reaches.indexOf(0);
    if (first < 0) return null;
    return { count: reaches.filter((reached) => reached === 0).length, trace: this.#traceTo(first) };
  }

  #traceTo(number: number): readonly string[] {
    const labels: string[] = [];
    for (let at = number; (this.#parents[at] as number) >= 0; at = this.#parents[at] as number) {
      const before = this.system.at(this.#keys[this.#parents[at] as number] as string);
      const move = this.system.moves(before).find(({ to }: Move<S>) => this.system.key(to) === this.#keys[at]);
      const label = move?.label ?? 'an unknown move';
      labels.unshift(typeof label === 'string' ? label : label());
    }
    return labels;
  }
}
