import { runEvent, sharedEvent } from '@holdfast/events';
import { at, type Sentence } from './sentence.fixture.js';

export const childSentences: readonly Sentence[] = [
  [
    runEvent('ChildStarted', {
      stepId: 'a',
      childRunId: 'r~a',
      ticket: 't',
      depth: 1,
      detached: true,
      startedAt: at,
      bornBy: at,
      deadlineAt: null,
    }),
    'a begins run r~a, which may outlive this one.',
  ],
  [runEvent('ChildAttached', { stepId: 'b', childRunId: 'r~a' }), 'b waits for run r~a, which is under way already.'],
  [runEvent('ChildAccepted', { childRunId: 'r~a', acceptedAt: at }), 'Run r~a has begun.'],
  [runEvent('ChildLeft', { stepId: 'a', childRunId: 'r~a' }), 'a waits no longer for run r~a, which goes on.'],
  [
    runEvent('ChildEnded', {
      childRunId: 'r~a',
      reason: 'deadline_exceeded',
      detail: 'too slow',
      totals: { applied: 1, inDoubt: 2, running: 0, stepsSucceeded: 1, stepsFailed: 0 },
      endedAt: at,
    }),
    'Run r~a has ended: deadline exceeded: too slow. 2 EFFECTS OF IT ARE IN DOUBT.',
  ],
  [
    runEvent('ChildrenStopped', { reason: 'ordered twice', deadlineAt: at, children: [{ runId: 'r~a', ticket: 't' }] }),
    '1 run that it began is told to end by 2026-01-02T03:04:05.000Z: ordered twice.',
  ],
  [
    sharedEvent('ChildRefused', {
      runId: 'r~a',
      parent: { runId: 'r', stepId: 'a', ticket: 't', depth: 1, detached: false },
      code: 'invalid_program',
      message: 'no tool x@1 is registered',
    }),
    'Run r~a, begun by run r, was refused: no tool x@1 is registered.',
  ],
];
