import { advanceRun } from '../../apps/coordinator/src/run/advance.decide.js';
import type { RunDraft } from '../../apps/coordinator/src/run/draft.js';
import type { Env } from '../../apps/coordinator/src/run/env.js';
import { decideJournal } from '../../apps/coordinator/src/run/journal.decide.js';
import type { Budget } from '../../apps/coordinator/src/run/place.js';
import { decideVerdict } from '../../apps/coordinator/src/run/verdict.decide.js';
import { T0 } from './clock.js';
import { verdict, word } from './messages.js';
import { envOf } from './specification.js';

/** An executor says a word about an attempt. */
export const says =
  (...args: Parameters<typeof word>) =>
  (draft: RunDraft) =>
    decideJournal(draft, word(...args), envOf());

/** A reconciler judges a doubt. */
export const judges =
  (...args: Parameters<typeof verdict>) =>
  (draft: RunDraft) =>
    decideVerdict(draft, verdict(...args), envOf({ now: T0 + 9_000 }));

/** The run goes on as far as it can. */
export const goesOn =
  (more: Partial<Env> = {}) =>
  (draft: RunDraft) =>
    advanceRun(draft, envOf(more), passOf(9));
/** One pass over a run, with so many places in its queue. */
export const passOf = (places: number): Budget => ({
  room: new Map([['default', places]]),
  steps: places,
  notes: 192,
  spread: 0,
  starved: false,
  more: false,
});

export const closed = new Map([['run-1/a/0', { kind: 'closed', offset: 3 } as const]]);
export const claimed = new Map([
  ['run-1/a/0', { kind: 'claimed', session: 'S', deadline: T0 + 1_000, offset: 3 } as const],
]);
export const lost = new Map([['S', { cause: 'session_expired', endedAt: null, clean: false } as const]]);
