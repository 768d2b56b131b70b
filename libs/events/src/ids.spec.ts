import { attemptId, idempotencyKey, parseAttemptId, runIdSchema } from './ids.js';
import { laneOf } from './lane-hash.js';

describe('the lane of a run', () => {
  it.each([
    ['doc-1', 11],
    ['mission-2000', 1],
    ['ü', 2],
    ['ABC', 6],
    ['abc', 3],
  ])('%s is on lane %i of 12, as clients in other languages find it', (runId, lane) => {
    expect(laneOf(runId, 12)).toBe(lane);
  });
});

describe('a run id', () => {
  it.each(['a', 'doc-1', 'ü', '📄', 'a'.repeat(200)])('may be %s', (id) => {
    expect(runIdSchema.safeParse(id).success).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['longer than 200 characters', 'a'.repeat(201)],
    ['with a /', 'a/b'],
    ['with a space', 'a b'],
    ['with a no-break space', 'a\u00a0b'],
    ['with a control character', 'a\u0007'],
    ['with a lone surrogate', 'a\ud800'],
    ['not in normal form C', 'u\u0308'],
  ])('may not be %s', (_, id) => {
    expect(runIdSchema.safeParse(id).success).toBe(false);
  });
});

describe('an attempt id', () => {
  it('names run, step and attempt', () => {
    const ref = { runId: 'run-1', stepId: 'file[17].read', attempt: 2 };
    expect(attemptId(ref)).toBe('run-1/file[17].read/2');
    expect(parseAttemptId(attemptId(ref))).toEqual(ref);
  });

  it.each(['', 'a/b', 'a/b/c', 'a/b/1/2', 'a//1'])('is not %s', (text) => {
    expect(parseAttemptId(text)).toBeNull();
  });
});

it('an idempotency key is the same for all attempts of a step', () => {
  expect(idempotencyKey('0123456789abcdef', 'read')).toBe('0123456789abcdef/read');
});
