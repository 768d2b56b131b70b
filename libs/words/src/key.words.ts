import type { RunEventData } from '@holdfast/events';
import { count, time, type WordsFor } from './phrases.js';

export const keyWords: WordsFor<
  | 'KeyGranted'
  | 'KeyAwaited'
  | 'KeyDenied'
  | 'RunSuperseded'
  | 'KeyAssigned'
  | 'KeyQueued'
  | 'KeyRefused'
  | 'KeyFreed'
  | 'KeyForgotten'
  | 'KeyReturned'
> = {
  KeyGranted: ({ key, displaces }) => `The run has the key ${key}${replacing(displaces)}.`,
  KeyAwaited: ({ key, holder, place, displaces }) =>
    `The run waits for the key ${key}, which run ${holder} has; it is number ${place}${replacing(displaces)}.`,
  KeyDenied: ({ detail }) => `The run does not begin: ${detail}.`,
  RunSuperseded: ({ detail, deadlineAt }) => `The run is obsolete: ${detail}. It is over by ${time(deadlineAt)}.`,
  KeyAssigned: ({ key, runId }) => `Run ${runId} has the key ${key}.`,
  KeyQueued: ({ key, runId, holder, place }) =>
    `Run ${runId} waits for the key ${key} of run ${holder}, as number ${place}.`,
  KeyRefused: ({ key, runId, code }) => `Run ${runId} does not get the key ${key} (${code.replaceAll('_', ' ')}).`,
  KeyFreed: ({ key, runId }) => `Run ${runId} is over and leaves the key ${key}.`,
  KeyForgotten: ({ key }) => `The generation of the key ${key} is forgotten.`,
  KeyReturned: ({ key, runId }) => `Run ${runId} is over or unknown: the key ${key} goes back.`,
};

const replacing = (displaces: RunEventData<'KeyGranted'>['displaces']): string =>
  displaces.length === 0 ? '' : ` and replaces ${named(displaces.map(({ runId }) => runId))}`;

const named = (runIds: readonly string[]): string =>
  runIds.length > 3 ? count(runIds.length, 'older run') : runIds.join(', ');
