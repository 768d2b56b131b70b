import { deepStrictEqual } from 'node:assert';
import { Defect, laneDigest, newLane, restoreRow } from '@holdfast/events';
import { digest } from '../support/digest.js';
import { goldens } from './golden.js';
import { fold, foldOf, recordedFolds, recordFolds, writtenAndRead } from './snapshots.js';

const told = goldens().map(({ name, values }) => ({
  name,
  values: values.map((line) => new TextEncoder().encode(line)),
}));

if (process.env['HOLDFAST_WRITE'] === 'golden')
  recordFolds(Object.fromEntries(told.map(({ name, values }) => [name, foldOf(values)])));

describe('the state of a lane in a snapshot', () => {
  // Where this fails the fold gives something else than snapshots hold that are out there: SNAPSHOT_VERSION has to rise,
  // and `npm run golden:record` writes down what the new version gives.
  it.each(told)('is of the version that has folded $name', ({ name, values }) => {
    expect(foldOf(values)).toBe(recordedFolds()[name]);
  });

  it.each(told)('is what it was, wherever $name is cut, and goes on like it', ({ values }) => {
    const lane = newLane();
    const spread = Math.ceil(values.length / 12);
    for (const [index, value] of values.entries()) {
      fold(lane, value);
      if (lane.batch !== null) continue;
      const { lane: again, next } = writtenAndRead(lane, index + 1);
      deepStrictEqual(again, lane);
      if (index % spread !== 0) continue;
      for (const later of values.slice(next)) fold(again, later);
      expect(laneDigest(again, digest)).toBe(laneDigest(wholeOf(values), digest));
    }
  });

  it('is not put together from lines that nobody knows', () => {
    const restored = writtenAndRead(newLane(), 0);
    for (const row of [['surprise', 1], ['__proto__'], ['constructor'], ['tenantRuns', 'nobody', '1', {}]])
      expect(() => restoreRow(restored, row)).toThrow(Defect);
  });
});

const wholes = new Map<readonly Uint8Array[], ReturnType<typeof newLane>>();
const wholeOf = (values: readonly Uint8Array[]) => {
  const known = wholes.get(values) ?? newLane();
  if (!wholes.has(values)) for (const value of values) fold(known, value);
  wholes.set(values, known);
  return known;
};
