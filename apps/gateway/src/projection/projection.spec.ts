import type { Changes } from './changes.js';
import { Projection } from './projection.js';

const source = { topic: 't', partition: 0 };
/** A view that says which records are in it. */
const viewOf = () => {
  let seen: number[] = [];
  return {
    see: (offset: number) => void seen.push(offset),
    take: (): Changes => {
      const rows = seen.map((offset) => ({ partition: 0, offset, letter: 0, by: '', requestId: '', at: 0 }));
      seen = [];
      return { accepted: [], rows: { resends: rows } };
    },
    drop: () => void (seen = []),
  };
};
const setUp = (position: number) => {
  const view = viewOf();
  const projection = new Projection(source, position, view);
  const take = (from: number, to: number) => {
    for (let offset = from; offset < to; offset += 1) {
      view.see(offset);
      projection.took(offset, 1);
    }
  };
  const chunk = () => {
    const made = projection.chunk();
    return made && { from: made.from, to: made.to, rows: made.changes.rows.resends?.map(({ offset }) => offset) };
  };
  return { projection, take, chunk };
};

describe('chunks of a source', () => {
  it('begin where the database is, whatever was folded before', () => {
    const { take, chunk } = setUp(3);
    take(0, 3);
    expect(chunk()).toBeNull();
    take(3, 5);
    expect(chunk()).toEqual({ from: 3, to: 5, rows: [3, 4] });
  });

  it('stay the same until it is known what became of them, and are followed by what has come meanwhile', () => {
    const { projection, take, chunk } = setUp(0);
    take(0, 2);
    expect(chunk()).toEqual({ from: 0, to: 2, rows: [0, 1] });
    take(2, 4);
    expect(chunk()).toEqual({ from: 0, to: 2, rows: [0, 1] });
    expect(projection.answered(2)).toBe('written');
    expect(chunk()).toEqual({ from: 2, to: 4, rows: [2, 3] });
  });

  it('leave out what somebody else has written', () => {
    const { projection, take, chunk } = setUp(0);
    take(0, 4);
    chunk();
    expect(projection.answered(3)).toBe('again');
    expect(chunk()).toEqual({ from: 3, to: 4, rows: [3] });
    expect(projection.answered(9)).toBe('written');
    take(4, 9);
    expect(chunk()).toBeNull();
    take(9, 10);
    expect(chunk()).toEqual({ from: 9, to: 10, rows: [9] });
  });

  it('are made anew from the first record on where the database is behind: a rebuild has begun', () => {
    const { projection, take, chunk } = setUp(4);
    take(0, 6);
    chunk();
    expect(projection.answered(0)).toBe('anew');
    const idle = setUp(4);
    idle.take(0, 4);
    expect(idle.projection.heard(4)).toBe('written');
    expect(idle.projection.heard(0)).toBe('anew');
  });
});
