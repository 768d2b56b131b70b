import * as fc from 'fast-check';
import { frozen } from '../../../../test/support/frozen.js';
import { dueIn, emptyTable, entriesIn, entryOf, tableDue, withEntry, withoutEntry, type Table } from './table.js';

type Move = { readonly name: string; readonly due: number | null };

const names = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString'),
  fc.integer({ min: 0, max: 999 }).map(String),
);
const moves = fc.array(fc.record({ name: names, due: fc.option(fc.integer({ min: 0, max: 50 })) }), { maxLength: 200 });

const play = (all: readonly Move[]): { readonly table: Table<string>; readonly model: Map<string, number> } => {
  const model = new Map<string, number>();
  let table: Table<string> = emptyTable;
  for (const { name, due } of all) {
    table = frozen(due === null ? withoutEntry(table, name) : withEntry(table, name, `${name} ${due}`, due));
    if (due === null) model.delete(name);
    else model.set(name, due);
  }
  return { table, model };
};

const sorted = (entries: Iterable<readonly [string, string]>) => [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('a table', () => {
  it('holds what a map holds, and knows what is due', () =>
    fc.assert(
      fc.property(moves, names, fc.integer({ min: 0, max: 50 }), (all, name, by) => {
        const { table, model } = play(all);
        const known = [...model].map(([key, due]) => [key, `${key} ${due}`] as const);
        const due = known.filter(([key]) => (model.get(key) ?? Infinity) <= by);
        expect(table.size).toBe(model.size);
        expect(sorted(entriesIn(table))).toEqual(sorted(known));
        expect(sorted(dueIn(table, by))).toEqual(sorted(due));
        expect(tableDue(table)).toBe(Math.min(Infinity, ...model.values()));
        expect(entryOf(table, name)).toBe(model.has(name) ? `${name} ${model.get(name)}` : undefined);
      }),
    ));

  it('is the same whatever was in it before', () =>
    fc.assert(
      fc.property(moves, (all) => {
        const { table, model } = play(all);
        const left = [...model].map(([name, due]) => ({ name, due }));
        expect(table).toEqual(play(left).table);
      }),
    ));

  it('changes little, however much it holds', () => {
    let table: Table<string> = emptyTable;
    for (let index = 0; index < 10_000; index += 1) table = withEntry(table, `run-${index}`, 'x', index);
    const { parts } = withEntry(table, 'one more', 'x', 1);
    const changed = parts.flatMap((part, at) => (part === table.parts[at] ? [] : [Object.keys(part.entries).length]));
    expect(changed).toHaveLength(1);
    expect(changed[0]).toBeLessThan(100);
  });
});
