import { runEvent } from '@holdfast/events';
import { at, step, type Sentence } from './sentence.fixture.js';

export const stepSentences: readonly Sentence[] = [
  [
    runEvent('StepScheduled', {
      ...step,
      tool: 't@1',
      policy: 'keyed',
      queue: 'default',
      partition: 2,
      scheduledAt: at,
      startBy: at,
      timeoutMs: 1,
      key: 'k',
      argsHash: 'h',
      claimsFrom: 0,
      settling: true,
      reservation: {},
    }),
    'file[3].write (attempt 1) was scheduled again with the same key, to settle the doubt: t@1 (keyed) on default[2].',
  ],
  [
    runEvent('AttemptHeld', { ...step, session: 's', deadline: at, claimOffset: 1 }),
    'file[3].write (attempt 1) is held by session s until 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('AttemptClosed', { ...step, claimOffset: 1, cause: 'cancel' }),
    'file[3].write (attempt 1) was closed before anybody began it (the run was cancelled): it never acts.',
  ],
  [
    runEvent('AttemptSkipped', { ...step, session: 's', reason: 'too late' }),
    'file[3].write (attempt 1) was skipped by its session: too late.',
  ],
  [
    runEvent('StepSucceeded', { ...step, by: 'verdict', session: null, result: 1 }),
    'file[3].write (attempt 1) succeeded, as the tool confirmed.',
  ],
  [
    runEvent('StepFailed', {
      ...step,
      session: 's',
      failure: { code: 'full', message: 'the disk is full' },
      final: true,
      effect: 'none',
    }),
    'file[3].write (attempt 1) failed for good: the disk is full (full; it did not act).',
  ],
  [
    runEvent('BackoffStarted', { ...step, dueAt: at, cause: 'failed' }),
    'file[3].write waits until 2026-01-02T03:04:05.000Z (after a failure).',
  ],
];
