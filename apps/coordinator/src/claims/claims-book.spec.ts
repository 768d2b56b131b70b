import type { Claim } from '@holdfast/contracts';
import { ClaimsBook, type ReadClaim } from './claims-book.js';

const message = { version: 1, id: 'x', source: 'x', subject: null, time: '', principal: null };
const claimed = (offset: number, attemptId: string, session: string, startBy = 1_000): ReadClaim => ({
  offset,
  claim: {
    ...message,
    type: 'AttemptClaimed',
    data: { attemptId, session, deadline: 5_000, startBy, argsHash: 'h' },
  } as Claim,
});
const closed = (offset: number, attemptId: string, startBy = 1_000): ReadClaim => ({
  offset,
  claim: { ...message, type: 'AttemptClosed', data: { attemptId, closedBy: 'c', startBy } } as Claim,
});
const looked = (offset: number): ReadClaim => ({
  offset,
  claim: { ...message, type: 'PartitionLooked', data: { lookedBy: 'c' } } as Claim,
});

describe('a book of claims', () => {
  it('keeps the first claim of an attempt, whatever comes later', () => {
    const book = new ClaimsBook(0, 0);
    expect(book.append([claimed(0, 'a', 'S0'), claimed(1, 'a', 'S1'), closed(2, 'a')], 3)).toEqual(['a']);
    expect(book.first('a', 0)).toMatchObject({ kind: 'claimed', session: 'S0', offset: 0 });
  });

  it('takes a closing claim for a first one like any other', () => {
    const book = new ClaimsBook(0, 0);
    book.append([closed(0, 'a'), claimed(1, 'a', 'S0')], 2);
    expect(book.first('a', 0)).toEqual({ kind: 'closed', offset: 0 });
  });

  it('concludes nothing about an attempt whose claims may lie before what was read', () => {
    const book = new ClaimsBook(10, 10);
    book.append([claimed(10, 'a', 'S1')], 11);
    expect(book.first('a', 7)).toBeNull();
  });

  it('lets an older claim win once the range is extended downward', () => {
    const book = new ClaimsBook(10, 10);
    book.append([closed(10, 'a')], 11);
    expect(book.prepend([claimed(8, 'a', 'S0')], 7)).toEqual(['a']);
    expect(book.first('a', 7)).toMatchObject({ kind: 'claimed', session: 'S0' });
  });

  it('counts a look for nobody', () => {
    const book = new ClaimsBook(0, 0);
    expect(book.append([looked(0)], 1)).toEqual([]);
    expect(book.next).toBe(1);
  });

  it('concludes nothing where a record that cannot be read may be an earlier claim', () => {
    const book = new ClaimsBook(0, 0);
    book.append([{ offset: 0, claim: null }, closed(1, 'a'), claimed(2, 'b', 'S0')], 3);
    expect(book.first('a', 0)).toEqual({ kind: 'unreadable' });
    expect(book.first('b', 1)).toMatchObject({ session: 'S0' });
  });

  it('concludes nothing from a claim that lies below where claims may lie: records are gone', () => {
    const book = new ClaimsBook(0, 0);
    book.append([closed(0, 'a')], 1);
    expect(book.first('a', 1)).toEqual({ kind: 'unreadable' });
  });

  it('begins after what it forgot, so that the forgotten is never taken for absent', () => {
    const book = new ClaimsBook(0, 0);
    book.append([claimed(0, 'a', 'S0', 1_000), claimed(1, 'b', 'S0', 9_000_000)], 2);
    book.forget(1_000 + 10 * 60_000);
    expect(book.first('a', 0)).toBeNull();
    expect(book.from).toBe(1);
    expect(book.first('b', 1)).toMatchObject({ session: 'S0' });
  });
});
