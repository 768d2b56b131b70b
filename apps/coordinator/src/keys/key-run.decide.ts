import type { RequestOf } from '@holdfast/contracts';
import { keepsKey, runEvent, sharedEvent, type KeyDenial, type LiveRun } from '@holdfast/events';
import { cancelDeadline } from '../run/cancel-deadline.js';
import { liveRun, record, recordShared, type RunDraft } from '../run/draft.js';
import type { Env } from '../run/env.js';

/** What the lane of the key says. A key that comes to a run that is over goes back at once: it is never stuck. */
export const decideKey = (draft: RunDraft, { data }: RequestOf<'DecideKey'>, env: Env): void => {
  const { key, runId, ticket, verdict, displaces } = data;
  const run = liveRun(draft);
  if (run !== undefined && run.runKey === ticket && keepsKey(run)) return;
  if (run === undefined || run.end !== null || run.runKey !== ticket || run.concurrency?.key !== key) {
    if (verdict === 'denied' || !env.rules.returnGrantedKey) return;
    return recordShared(draft.lane, sharedEvent('KeyReturned', { key, runId, ticket, at: env.now }));
  }
  const { status } = run.concurrency;
  // Words may overtake each other; a key that was granted stays granted until the run is over.
  if (status === 'granted' || status === 'denied' || run.cancel !== null) return;
  if (verdict === 'granted') return void record(draft, runEvent('KeyGranted', { key, displaces, grantedAt: env.now }));
  const by = data.holder;
  if (verdict === 'waiting') {
    if (status === 'waiting') return;
    const place = data.place ?? 1;
    return void record(draft, runEvent('KeyAwaited', { key, holder: by ?? '', place, displaces, since: env.now }));
  }
  const code = data.code ?? 'held';
  record(draft, runEvent('KeyDenied', { key, code, by, detail: denialWords(code, key, by ?? 'another run') }));
};

const denialWords = (code: KeyDenial, key: string, by: string): string => {
  switch (code) {
    case 'held':
      return `run ${by} has the key ${key}`;
    case 'joined':
      return `joined run ${by}, which has the key ${key}`;
    case 'older_generation':
      return `run ${by} is about a newer generation of ${key}`;
    case 'queue_full':
      return `too many runs wait for the key ${key} already`;
    case 'too_many_keys':
      return `the lane of the key ${key} looks after too many keys already`;
  }
};

/** A newer run of the same key takes the place of this one. */
export const decideSupersede = (draft: RunDraft, { data }: RequestOf<'SupersedeRun'>, env: Env): void => {
  const { ticket, key, by } = data;
  const run = liveRun(draft);
  if (run === undefined || run.runKey !== ticket) return;
  supersede(draft, run, { by, detail: `run ${by} replaces it: it has the key ${key}` }, env);
};

/** A run whose time of validity is over is obsolete, whatever it waits for. */
export const supersedeIfObsolete = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.validUntil === null || env.now < run.validUntil) return;
  supersede(draft, run, { by: null, detail: `it was valid until ${new Date(run.validUntil).toISOString()}` }, env);
};

type Reason = { readonly by: string | null; readonly detail: string };

const supersede = (draft: RunDraft, run: LiveRun, reason: Reason, env: Env): void => {
  if (run.end !== null || run.cancel !== null) return;
  const deadlineAt = cancelDeadline(run, env.now + env.settings.cancelMs, env.now);
  record(draft, runEvent('RunSuperseded', { ...reason, deadlineAt }));
};
