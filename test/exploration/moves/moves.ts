import type { Cell } from '../engine/cell.js';
import type { Move } from '../engine/system.js';
import type { Kit } from '../world/kit.js';
import type { Fault, World } from '../world/parts.js';
import { mayHappen, spent } from '../world/place.js';

/** One process, and where it stands. */
export type Actor<P> = {
  readonly moves: Moves;
  readonly world: World;
  readonly index: number;
  readonly cell: Cell<P>;
  readonly name: string;
};

type Label = string | (() => string);

/** Collects the moves that are possible. */
export class Moves {
  readonly all: Move<World>[] = [];

  constructor(readonly kit: Kit) {}

  step(label: Label, to: () => World): void {
    this.#add('step', label, to());
  }

  /** Somebody acts of whom nobody knows whether they ever will. */
  late(label: Label, to: () => World): void {
    this.#add('late', label, to());
  }

  wait(label: Label, to: () => World): void {
    this.#add('wait', label, to());
  }

  /** Possible as long as the configuration has such a fault left. */
  fault(fault: Fault, world: World, label: Label, to: () => World): void {
    if (!mayHappen(world, fault)) return;
    const after = to();
    this.#add('fault', label, { ...after, faults: spent(this.kit, after, fault) });
  }

  #add(kind: Move<World>['kind'], label: Label, to: World): void {
    this.all.push({ kind, label, to });
  }
}
