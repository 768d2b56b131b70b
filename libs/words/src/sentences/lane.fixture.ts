import { sharedEvent } from '@holdfast/events';
import { at, type Sentence } from './sentence.fixture.js';

export const laneSentences: readonly Sentence[] = [
  [{ type: 'LaneAcquired', version: 1, data: { at } }, 'A coordinator took the lane over.'],
  [
    { type: 'LaneAdvanced', version: 1, data: { positions: {}, reactedSeq: 4, replies: [], at, chain: '' } },
    'The lane advanced to seq 4.',
  ],
  [
    { type: 'InputsLost', version: 1, data: { topic: 'x', from: 1, to: 2, acceptedBy: 'ann' } },
    'Inputs 1 to 2 of x were lost; ann accepted that.',
  ],
  [
    sharedEvent('CancelRemembered', {
      runId: 'r',
      requestId: 'q',
      principal: 'ann',
      reason: 'ordered twice',
      withinMs: 1,
      mode: 'abort',
      until: at,
    }),
    'ann cancelled run r, which is not known yet: ordered twice. If it comes before 2026-01-02T03:04:05.000Z, it is cancelled.',
  ],
  [
    sharedEvent('CancelForgotten', { runId: 'r', requestId: 'q', cause: 'used' }),
    'Run r came and was cancelled, as was asked before.',
  ],
  [
    sharedEvent('BulkCancelRequested', {
      lane: 3,
      requestId: 'q',
      principal: 'ann',
      reason: 'wrong batch',
      labels: { team: 'shop', day: '2' },
      deadlineAt: at,
      mode: 'abort',
      beforeSeq: 9,
      runs: 70,
    }),
    'ann cancelled 70 runs with team=shop, day=2: wrong batch. They are over by 2026-01-02T03:04:05.000Z.',
  ],
  [sharedEvent('BulkCancelAdvanced', { requestId: 'q', cancelled: 64 }), '64 runs of them cancelled so far.'],
  [sharedEvent('BulkCancelEnded', { requestId: 'q', cancelled: 70 }), 'All of them are cancelled: 70 runs.'],
];
