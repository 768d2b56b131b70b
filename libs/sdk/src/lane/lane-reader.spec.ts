import { Defect } from '@holdfast/events';
import type { Entry, LogRecord } from '@holdfast/log';
import { sha256 } from '../digest.js';
import { LaneAuthor, runAccepted, runEnded } from './history.fixture.js';
import { LaneReader } from './lane-reader.js';

const place = { topic: 'holdfast.run-events', lane: 3 };
const at = (offset: number, { key, value }: Entry): LogRecord => ({ offset, at: 0, key, value, headers: {} });
const changed = (entry: Entry | undefined, from: string, to: string): Entry => {
  const text = Buffer.from(entry?.value ?? '').toString('utf8');
  expect(text).toContain(from);
  return { key: entry?.key ?? null, value: Buffer.from(text.replace(from, to)) };
};

const read = (entries: readonly (Entry | undefined)[]) => {
  const reader = new LaneReader(place, sha256);
  const taken = entries.map((entry, offset) => reader.take(at(offset, entry as Entry)));
  return { reader, folds: taken.map(({ folded }) => folded) };
};

describe('reading a lane', () => {
  it('folds its records and keeps the place', () => {
    const author = new LaneAuthor(3);
    const { reader, folds } = read([...author.acquire('a'), ...author.decide('r', runAccepted('r'), runEnded())]);
    expect(folds).toStrictEqual(['valid', 'valid', 'valid', 'valid']);
    expect(reader.next).toBe(4);
    expect(reader.state.runs.get('r')?.run.status).toBe('ended');
  });

  it('skips what a former owner wrote late and what came twice', () => {
    const author = new LaneAuthor(3);
    const first = author.acquire('a');
    const batch = author.decide('r', runAccepted('r'));
    const stale = new LaneAuthor(3, 0).acquire('b');
    const { reader, folds } = read([...first, ...batch, ...stale, ...batch]);
    expect(folds).toStrictEqual(['valid', 'valid', 'valid', 'void', 'repeated', 'repeated']);
    expect(reader.state.counts).toStrictEqual({ valid: 3, void: 1, repeated: 2 });
  });

  it('stops, naming the place, where a record was changed', () => {
    const author = new LaneAuthor(3);
    const entries = [
      ...author.acquire('a'),
      ...author.decide('r', runAccepted('r')),
      ...author.decide('r', runEnded()),
    ];
    const forged = [...entries];
    forged[1] = changed(entries[1], 'submit-r', 'submit-x');
    expect(() => read(forged)).toThrow(Defect);
    expect(() => read(forged)).toThrow(
      'history of lane 3 (holdfast.run-events) at offset 2: record 2 names another hash',
    );
  });

  it('stops where a record of a run does not name the one before it', () => {
    const author = new LaneAuthor(3);
    const entries = [
      ...author.acquire('a'),
      ...author.decide('r', runAccepted('r')),
      ...author.decide('r', runEnded()),
    ];
    const prev = sha256(entries[1]?.value ?? '');
    entries[3] = changed(entries[3], prev, sha256('other'));
    expect(() => read(entries)).toThrow('offset 3: record 3 of run r does not name the hash');
  });

  it('stops at what it cannot read, and at missing records', () => {
    const reader = new LaneReader(place, sha256);
    expect(() => reader.take(at(0, { key: null, value: null }))).toThrow('offset 0: a record of history has no value');
    expect(() => reader.take(at(1, new LaneAuthor(3).acquire('a')[0] as Entry))).toThrow('records are missing');
    expect(() => reader.take(at(0, { key: null, value: Buffer.from('{') }))).toThrow('is not JSON');
  });
});
