import { runEvent } from '@holdfast/events';
import { at, report, step, type Sentence } from './sentence.fixture.js';

export const runSentences: readonly Sentence[] = [
  [
    runEvent('RunAccepted', {
      runId: 'r',
      requestId: 'q',
      requestHash: 'h',
      principal: 'ann',
      labels: {},
      runKey: 'k',
      program: { kind: 'plan', name: 'mission', steps: [{ id: 'a', tool: 't@1' }] },
      input: null,
      tools: {},
      acceptedAt: at,
      deadlineAt: at,
    }),
    'The run was accepted from ann: "mission" with 1 step at its top, to end by 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('CancelRequested', {
      requestId: 'q',
      principal: 'ann',
      reason: 'wrong folder',
      deadlineAt: at,
      mode: 'drain',
    }),
    'A cancel was requested by ann, letting running calls end: wrong folder. It is over by 2026-01-02T03:04:05.000Z.',
  ],
  [runEvent('RunWaiting', { waitingFor: 'an executor', since: at }), 'The run waits for an executor.'],
  [
    runEvent('RunEnded', { reason: 'deadline_exceeded', detail: '', report, endedAt: at }),
    'The run ended: deadline exceeded. 3 steps succeeded, 1 failed, 2 effects applied, 1 STILL IN DOUBT (a/0).',
  ],
  [
    runEvent('ReportAmended', { ...step, change: 'applied after all', report }),
    'The report was amended for file[3].write: applied after all.',
  ],
];
