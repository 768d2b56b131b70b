import { attemptSpan, doubtSpan, runSpan, traceIn, traceOfNew, traceparentOf } from './trace.js';

const given = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

describe('the trace of a run', () => {
  it('is that of its submitter, sampled as that one says', () => {
    expect(traceOfNew(given, 'key', 0)).toEqual({ id: 'a'.repeat(32), parent: 'b'.repeat(16), sampled: true });
    expect(traceOfNew(given.replace(/01$/, '00'), 'key', 1)?.sampled).toBe(false);
  });

  it('is its own where nobody says anything readable, for as many runs as are asked for', () => {
    const keys = Array.from({ length: 2_000 }, (_, index) => `key-${index}`);
    expect(keys.filter((key) => traceOfNew('rubbish', key, 0) !== undefined)).toEqual([]);
    expect(keys.filter((key) => traceOfNew(undefined, key, 1) === undefined)).toEqual([]);
    const some = keys.filter((key) => traceOfNew(undefined, key, 0.25) !== undefined).length;
    expect(some).toBeGreaterThan(400);
    expect(some).toBeLessThan(600);
    expect(new Set(keys.map((key) => traceOfNew(undefined, key, 1)?.id)).size).toBe(keys.length);
  });

  it.each([
    '',
    'ff-'.concat('a'.repeat(32), '-', 'b'.repeat(16), '-01'),
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
  ])('is not read out of %j', (text) => expect(traceIn(text)).toBeUndefined());

  it('has a place of its own for each attempt and each doubt, the same for everybody', () => {
    const run = { runKey: 'key' };
    const places = Array.from({ length: 500 }, (_, step) =>
      [0, 1, 2].flatMap((attempt) => [attemptSpan(run, `s${step}`, attempt), doubtSpan(run, `s${step}`, attempt)]),
    ).flat();
    expect(new Set([...places, runSpan(run)]).size).toBe(places.length + 1);
    expect(traceparentOf({ id: 'a'.repeat(32), sampled: true }, runSpan(run))).toMatch(/^00-a{32}-[0-9a-f]{16}-01$/);
    expect(runSpan(run)).toBe(runSpan({ runKey: 'key' }));
  });
});
