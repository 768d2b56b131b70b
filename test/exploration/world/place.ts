import type { Cell } from '../engine/cell.js';
import type { Kit } from './kit.js';
import type { Fault, Late, Log, World } from './parts.js';

export type PartName = keyof World;

/** The log with more at its end. */
export const appended = <T>(kit: Kit, log: Cell<Log<T>>, ...values: readonly Cell<T>[]): Cell<Log<T>> =>
  values.length === 0
    ? log
    : kit.cells.once(`${log.id} + ${values.map(({ id }) => id).join()}`, () => kit.cells.of([...log.value, ...values]));

/** The log as somebody knows it who has read it up to `end`. */
export const upTo = <T>(kit: Kit, log: Cell<Log<T>>, end: number): Cell<Log<T>> =>
  end >= log.value.length ? log : kit.cells.once(`${log.id} to ${end}`, () => kit.cells.of(log.value.slice(0, end)));

/** Nobody can tell the order in which they were sent. */
export const withLate = (kit: Kit, { late }: World, ...more: readonly Late[]): World['late'] =>
  more.length === 0
    ? late
    : kit.cells.of([...late.value, ...more.map((one) => kit.cells.of(one))].toSorted((a, b) => a.id - b.id));

export const withoutLate = (kit: Kit, { late }: World, index: number): World['late'] =>
  kit.cells.of(late.value.toSpliced(index, 1));

export const mayHappen = ({ faults }: World, fault: Fault): boolean => faults.value[fault] > 0;

export const spent = (kit: Kit, { faults }: World, fault: Fault): World['faults'] =>
  kit.cells.of({ ...faults.value, [fault]: faults.value[fault] - 1 });

export const replaced = <T>(all: readonly T[], index: number, one: T): readonly T[] => all.with(index, one);
