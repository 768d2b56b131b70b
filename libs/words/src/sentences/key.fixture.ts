import { runEvent, sharedEvent } from '@holdfast/events';
import { at, type Sentence } from './sentence.fixture.js';

export const keySentences: readonly Sentence[] = [
  [
    runEvent('KeyGranted', { key: 'pr-7', displaces: [{ runId: 'old', ticket: 't' }], grantedAt: at }),
    'The run has the key pr-7 and replaces old.',
  ],
  [
    runEvent('KeyAwaited', { key: 'pr-7', holder: 'first', place: 2, displaces: [], since: at }),
    'The run waits for the key pr-7, which run first has; it is number 2.',
  ],
  [
    runEvent('KeyDenied', { key: 'pr-7', code: 'held', by: 'first', detail: 'run first has the key pr-7' }),
    'The run does not begin: run first has the key pr-7.',
  ],
  [
    runEvent('RunSuperseded', { by: 'new', detail: 'run new replaces it', deadlineAt: at }),
    'The run is obsolete: run new replaces it. It is over by 2026-01-02T03:04:05.000Z.',
  ],
  [sharedEvent('KeyAssigned', { key: 'pr-7', runId: 'r', ticket: 't', at, displaces: [] }), 'Run r has the key pr-7.'],
  [
    sharedEvent('KeyQueued', {
      key: 'pr-7',
      runId: 'r',
      ticket: 't',
      at,
      policy: 'queue',
      front: false,
      holder: 'first',
      place: 2,
      displaces: [],
    }),
    'Run r waits for the key pr-7 of run first, as number 2.',
  ],
  [
    sharedEvent('KeyRefused', { key: 'pr-7', runId: 'r', ticket: 't', at, code: 'queue_full', by: null }),
    'Run r does not get the key pr-7 (queue full).',
  ],
  [
    sharedEvent('KeyFreed', { key: 'pr-7', runId: 'r', ticket: 't', at, until: null }),
    'Run r is over and leaves the key pr-7.',
  ],
  [sharedEvent('KeyForgotten', { key: 'pr-7' }), 'The generation of the key pr-7 is forgotten.'],
  [
    sharedEvent('KeyReturned', { key: 'pr-7', runId: 'r', ticket: 't', at }),
    'Run r is over or unknown: the key pr-7 goes back.',
  ],
];
