import { z } from 'zod';
import { cursorOf, page, positionOf } from './cursor.js';

const shape = z.tuple([z.number(), z.string()]);
const of = { list: 'runs', filters: { status: ['running'], limit: 5 } };
const problem = (cursor: string, list: typeof of | { list: string; filters: object } = of) => {
  try {
    return positionOf(list, cursor, shape);
  } catch (error) {
    return (error as { problem: { errors?: readonly { at: string }[] } }).problem.errors?.map(({ at }) => at);
  }
};

describe('a cursor', () => {
  it('holds where a page ends, and is no plain text', () => {
    const cursor = cursorOf(of, [17, 'doc-1']);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(positionOf(of, cursor, shape)).toEqual([17, 'doc-1']);
    expect(positionOf(of, undefined, shape)).toBeNull();
  });

  it('goes on with another size of page', () => {
    const cursor = cursorOf(of, [17, 'doc-1']);
    expect(positionOf({ ...of, filters: { status: ['running'], limit: 9, cursor } }, cursor, shape)).toEqual([
      17,
      'doc-1',
    ]);
  });

  it.each([
    ['of another list', cursorOf({ ...of, list: 'steps' }, [17, 'doc-1'])],
    ['with other filters', cursorOf({ ...of, filters: { status: ['ended'] } }, [17, 'doc-1'])],
    ['with other values', cursorOf(of, ['doc-1', 17])],
    ['with more values', cursorOf(of, [17, 'doc-1', 1])],
    ['that was made up', 'aGVsbG8'],
    ['that holds no list', Buffer.from('{"a":1}').toString('base64url')],
    ['of nothing', ''],
  ])('%s is refused', (_, cursor) => expect(problem(cursor)).toEqual(['query.cursor']));
});

describe('a page', () => {
  const rows = [1, 2, 3].map((at) => ({ at, id: `r${at}` }));
  const make = { view: ({ id }: { id: string }) => id, position: ({ at, id }: { at: number; id: string }) => [at, id] };

  it('names the next one by its own last entry, while there is one', () => {
    const first = page(of, rows, 2, make);
    expect(first.items).toEqual(['r1', 'r2']);
    expect(positionOf(of, first.next ?? '', shape)).toEqual([2, 'r2']);
    expect(page(of, rows, 3, make)).toEqual({ items: ['r1', 'r2', 'r3'], next: null });
    expect(page(of, [], 3, make)).toEqual({ items: [], next: null });
  });
});
