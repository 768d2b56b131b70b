import { LogDefect } from '../log.port.js';
import { recordsFrom } from './fetch.js';
import type { FetchedMessage, FetchedPartition } from './internals.js';

const message = (offset: number, more: Partial<FetchedMessage> = {}): FetchedMessage => ({
  offset: String(offset),
  timestamp: '1700000000000',
  key: Buffer.from(`k${offset}`),
  value: Buffer.from(`v${offset}`),
  headers: {},
  isControlRecord: false,
  ...more,
});
const answer = (messages: FetchedMessage[], more: Partial<FetchedPartition> = {}): FetchedPartition => ({
  partition: 0,
  highWatermark: '99',
  abortedTransactions: [],
  messages,
  ...more,
});
const keys = (given: ReturnType<typeof recordsFrom>): (string | null)[] => given.records.map(({ key }) => key);

describe('recordsFrom', () => {
  it('drops the records of a batch before the asked offset', () => {
    const given = recordsFrom(answer([message(3), message(4), message(5)]), 5, false);
    expect([keys(given), given.next]).toEqual([['k5'], 6]);
  });

  it('gives nothing and stays when all records are earlier', () => {
    expect(recordsFrom(answer([message(3)]), 5, false)).toEqual({ records: [], next: 5 });
  });

  it('calls a hole a defect, at the front and in between', () => {
    expect(() => recordsFrom(answer([message(6)]), 5, false)).toThrow(LogDefect);
    expect(() => recordsFrom(answer([message(5), message(7)]), 5, false)).toThrow('expected offset 6, got 7');
  });

  it('passes over holes where they are expected', () => {
    const given = recordsFrom(answer([message(6), message(9)]), 5, true);
    expect([keys(given), given.next]).toEqual([['k6', 'k9'], 10]);
  });

  it('reads headers as text; of a repeated one the first', () => {
    const headers = { a: Buffer.from('1'), b: [Buffer.from('2'), Buffer.from('3')], c: undefined };
    expect(recordsFrom(answer([message(0, { headers })]), 0, false).records[0]?.headers).toEqual({ a: '1', b: '2' });
  });

  it('keeps the place of a foreign transaction: its marker and what was aborted are empty records', () => {
    const batchContext = { inTransaction: true, producerId: '7' };
    const messages = [
      message(0, { batchContext }),
      message(1, { batchContext: { inTransaction: true, producerId: '8' } }),
      message(2, { batchContext: { inTransaction: false, producerId: '-1' } }),
      message(3, { batchContext, isControlRecord: true }),
      message(4, { batchContext }),
      message(5, { batchContext, isControlRecord: true }),
    ];
    const aborted = answer(messages, { abortedTransactions: [{ producerId: '7', firstOffset: '0' }] });
    const given = recordsFrom(aborted, 0, false);
    expect([keys(given), given.next]).toEqual([[null, 'k1', 'k2', null, 'k4', null], 6]);
    expect(given.records[0]).toEqual({ offset: 0, at: 1_700_000_000_000, key: null, value: null, headers: {} });
  });
});
