import { digest } from '../../../../test/support/digest.js';
import { T0 } from '../../../../test/support/clock.js';
import { Defect } from '../defect.js';
import { DEFAULTS } from '../limits.js';
import { decodeHistory, encodeHistory, type HistoryEvent, type HistoryRecord } from '../record/record.js';
import { foldRecord, requestKey } from './lane.fold.js';
import { newLane, type LaneState } from './lane.state.js';

type Place = Partial<HistoryRecord['lane']>;

const recordOf = (event: HistoryEvent, place: Place, time = T0): HistoryRecord => {
  const lane = { epoch: 1, seq: 0, owner: 'C1', size: 1, ...place };
  return {
    id: `0/${lane.seq}`,
    time: new Date(time).toISOString(),
    subject: null,
    principal: null,
    lane: { first: lane.seq, ...lane },
    prev: null,
    event,
  };
};

const acquired = (place: Place, at = T0) => recordOf({ type: 'LaneAcquired', version: 1, data: { at } }, place);
const advanced = (lane: LaneState, place: Place, data: object = {}) =>
  recordOf(
    {
      type: 'LaneAdvanced',
      version: 1,
      data: { positions: {}, reactedSeq: -1, replies: [], at: T0, chain: lane.chain, ...data },
    },
    place,
  );

const fold = (lane: LaneState, record: HistoryRecord) =>
  foldRecord(lane, record, digest(encodeHistory(record)), digest);

/** A lane of epoch 1 that C1 owns, with one batch after the acquisition. */
const owned = () => {
  const lane = newLane();
  fold(lane, acquired({ seq: 0 }));
  const second = advanced(lane, { seq: 1 });
  fold(lane, second);
  return { lane, second };
};

describe('who may add to a lane', () => {
  it('the first acquisition of the next epoch', () => {
    const { lane } = owned();
    expect(fold(lane, acquired({ epoch: 2, seq: 2, owner: 'C2' }))).toBe('valid');
    expect(lane).toMatchObject({ epoch: 2, owner: 'C2', seq: 2 });
  });

  it.each([
    ['of an epoch that is taken', { epoch: 1, seq: 2, owner: 'C2' }],
    ['that skips an epoch', { epoch: 3, seq: 2, owner: 'C2' }],
    ['whose number does not follow', { epoch: 2, seq: 1, owner: 'C2' }],
    ['from the future', { epoch: 2, seq: 3, owner: 'C2' }],
    ['that claims to be part of a batch', { epoch: 2, seq: 2, owner: 'C2', size: 2 }],
  ])('no acquisition %s', (_, place) => {
    const { lane } = owned();
    expect(fold(lane, acquired(place))).toBe('void');
    expect(lane).toMatchObject({ epoch: 1, owner: 'C1', seq: 1, counts: { void: 1 } });
  });

  it('no second acquisition by the same process, whatever it holds', () => {
    const lane = newLane();
    fold(lane, acquired({ seq: 0 }));
    expect(fold(lane, acquired({ seq: 0 }))).toBe('repeated');
    expect(fold(lane, acquired({ seq: 0 }, T0 + 5))).toBe('void');
  });

  it('nobody of a former epoch', () => {
    const { lane } = owned();
    fold(lane, acquired({ epoch: 2, seq: 2, owner: 'C2' }));
    expect(fold(lane, advanced(lane, { epoch: 1, seq: 3 }))).toBe('void');
  });

  it('nobody but the owner of the epoch', () => {
    const { lane } = owned();
    expect(fold(lane, advanced(lane, { seq: 2, owner: 'stranger' }))).toBe('void');
  });
});

describe('a record that is there already', () => {
  it('is a repeat', () => {
    const { lane, second } = owned();
    expect(fold(lane, second)).toBe('repeated');
    expect(lane.counts).toEqual({ valid: 2, void: 0, repeated: 1 });
  });

  it('with other content stops the reader', () => {
    const { lane } = owned();
    expect(() => fold(lane, advanced(lane, { seq: 1 }, { at: T0 + 1 }))).toThrow(Defect);
  });
});

describe('what cannot follow stops the reader', () => {
  it.each([
    ['a gap', { seq: 3 }],
    ['the future', { epoch: 2, seq: 2 }],
    ['the middle of a batch', { seq: 2, first: 1, size: 2 }],
  ])('%s', (_, place) => {
    const { lane } = owned();
    expect(() => fold(lane, advanced(lane, place))).toThrow(Defect);
  });

  it('a batch inside another one', () => {
    const { lane } = owned();
    fold(lane, advanced(lane, { seq: 2, first: 2, size: 2 }));
    expect(() => fold(lane, advanced(lane, { seq: 3, first: 3, size: 1 }))).toThrow(Defect);
  });

  it('a position that goes back', () => {
    const { lane } = owned();
    fold(lane, advanced(lane, { seq: 2 }, { positions: { journal: 5 } }));
    expect(() => fold(lane, advanced(lane, { seq: 3 }, { positions: { journal: 4 } }))).toThrow(Defect);
  });

  it('another hash of what came before', () => {
    const { lane } = owned();
    expect(() => fold(lane, advanced(lane, { seq: 2 }, { chain: 'tampered' }))).toThrow(Defect);
  });
});

describe('what a lane remembers', () => {
  const replied = (lane: LaneState, seq: number, at: number, requestId: string) =>
    fold(lane, advanced(lane, { seq }, { at, replies: [{ requestId, runId: 'run-1', outcome: 'refused' }] }));

  it('time never goes back', () => {
    const { lane } = owned();
    fold(lane, advanced(lane, { seq: 2 }, { at: T0 + 9 }));
    fold(lane, advanced(lane, { seq: 3 }, { at: T0 + 3 }));
    expect(lane.at).toBe(T0 + 9);
  });

  it('requests for as long as they are kept', () => {
    const { lane } = owned();
    replied(lane, 2, T0, 'first');
    replied(lane, 3, T0 + DEFAULTS.requestMemoryMs - 1, 'second');
    expect([...lane.requests.keys()]).toEqual([requestKey('run-1', 'first'), requestKey('run-1', 'second')]);
    fold(lane, advanced(lane, { seq: 4 }, { at: T0 + DEFAULTS.requestMemoryMs }));
    expect([...lane.requests.keys()]).toEqual([requestKey('run-1', 'second')]);
  });

  it('the first answer to a request', () => {
    const { lane } = owned();
    replied(lane, 2, T0, 'r');
    const again = [{ requestId: 'r', runId: 'run-1', outcome: 'unchanged' as const }];
    fold(lane, advanced(lane, { seq: 3 }, { replies: again }));
    expect(lane.requests.get(requestKey('run-1', 'r'))?.reply.outcome).toBe('refused');
  });

  it('inputs that are lost move the position, and nothing else', () => {
    const { lane } = owned();
    const data = { topic: 'journal', from: 3, to: 9, acceptedBy: 'someone' };
    fold(lane, recordOf({ type: 'InputsLost', version: 1, data }, { seq: 2 }));
    expect(lane.positions).toEqual({ journal: 9 });
  });
});

describe('a record of history', () => {
  it('survives being written and read', () => {
    const record = acquired({ seq: 0 });
    expect(decodeHistory(encodeHistory(record))).toEqual({ ok: true, record });
  });

  it.each([
    ['no value', null],
    ['no JSON', 'nonsense'],
    ['an unknown event', JSON.stringify({ ...wire(), type: 'Surprise' })],
    ['an unknown version', JSON.stringify({ ...wire(), dataversion: 2 })],
    ['too many levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ])('with %s is a problem, never skipped', (_, text) => {
    const value = text === null ? null : new TextEncoder().encode(text);
    expect(decodeHistory(value).ok).toBe(false);
  });
});

function wire(): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(encodeHistory(acquired({ seq: 0 })))) as Record<string, unknown>;
}
