import { replayPolicies } from '@holdfast/events';
import { boundText, classify, describeError } from './classify.js';
import { GuardRefused, isToolFailure, ToolFailure } from './tool-failure.js';

const harmful = ['keyed', 'verifiable', 'unprotected'] as const;
const harmless = ['pure', 'repeatable'] as const;

describe('classifying what a tool threw', () => {
  it.each(harmful)('takes any exception of a %s tool as unknown', (policy) => {
    for (const thrown of [new Error('lost'), 'text', null, undefined, { message: 'odd' }, Symbol('s')]) {
      expect(classify(thrown, policy).outcome).toBe('unknown');
    }
  });

  it.each(harmless)('takes any exception of a %s tool as failed, to be tried later', (policy) => {
    expect(classify(new Error('lost'), policy)).toStrictEqual({
      outcome: 'failed',
      failure: { code: 'exception', message: 'lost' },
      retry: 'later',
    });
  });

  it.each(replayPolicies)('believes a %s tool that says that it did nothing', (policy) => {
    const failure = new ToolFailure('no such account', { code: 'no_account', retry: 'never', effect: 'none' });
    expect(classify(failure, policy)).toStrictEqual({
      outcome: 'failed',
      failure: { code: 'no_account', message: 'no such account' },
      retry: 'never',
      used: {},
    });
  });

  it('does not let retry: now turn a doubt into a silent retry', () => {
    const failure = new ToolFailure('half done', { retry: 'now', effect: 'unknown' });
    expect(classify(failure, 'verifiable').outcome).toBe('unknown');
    expect(classify(failure, 'repeatable')).toMatchObject({ outcome: 'failed', retry: 'now' });
  });

  it('takes a guard that refused before anything was done as not done', () => {
    expect(classify(new GuardRefused('lease', 'none'), 'unprotected')).toMatchObject({
      outcome: 'failed',
      retry: 'later',
      failure: { code: 'guard_refused' },
    });
    expect(classify(new GuardRefused('lease', 'unknown'), 'unprotected').outcome).toBe('unknown');
  });

  it('does not believe an object that merely looks like a failure', () => {
    expect(isToolFailure({ retry: 'never', effect: 'none' })).toBe(false);
    const forged = Object.assign(new ToolFailure('x', { retry: 'never', effect: 'none' }), { effect: 'nothing' });
    expect(classify(forged, 'keyed').outcome).toBe('unknown');
  });

  it('refuses a failure that says too little', () =>
    expect(() => new ToolFailure('x', { retry: 'never' } as never)).toThrow(TypeError));

  it.each([-1, Number.NaN, Infinity, '30' as never])('refuses a failure that says to come back in %p ms', (after) =>
    expect(() => new ToolFailure('x', { retry: 'later', effect: 'none', retryAfterMs: after })).toThrow('retryAfterMs'),
  );

  it('comes back in a year at the latest, and takes no other word for a time', () => {
    const told = (retryAfterMs: unknown) => {
      const failure = new ToolFailure('x', { retry: 'later', effect: 'none', retryAfterMs: 1 });
      const classified = classify(Object.assign(failure, { retryAfterMs }), 'keyed');
      return classified.outcome === 'failed' ? classified.retryAfterMs : null;
    };
    expect([1.6, 1e300].map(told)).toEqual([2, 365 * 86_400_000]);
    expect([Number.NaN, Infinity, -1, 'soon', null].map(told)).toEqual(Array(5).fill(undefined));
  });
});

describe('describing what was thrown', () => {
  it('bounds long messages at a whole character', () => {
    const { message } = describeError(new Error('ü'.repeat(10_000)));
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(8 * 1024);
    expect(message).toMatch(/^ü+… \(\d+ bytes, sha256 [0-9a-f]{16}\)$/u);
    expect(boundText('short', 5)).toBe('short');
  });

  it('survives values that resist', () => {
    const hostile = {
      get message(): string {
        throw new Error('no');
      },
    };
    expect(describeError(hostile)).toStrictEqual({
      code: 'exception',
      message: 'the thrown value cannot be described',
    });
    expect(describeError(Object.create(null)).code).toBe('exception');
    expect(describeError(new TypeError(''))).toStrictEqual({ code: 'exception', message: 'TypeError' });
    expect(describeError(Object.assign(new Error('gone'), { code: 'ECONNRESET' })).code).toBe('ECONNRESET');
  });
});
