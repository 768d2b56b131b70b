import type { RequestOf } from '@holdfast/contracts';
import {
  DEFAULTS,
  dueIn,
  entriesIn,
  entryOf,
  isSameRun,
  keyStateOf,
  LIMITS,
  sharedEvent,
  type KeyDenial,
  type KeyState,
  type RunTicket,
} from '@holdfast/events';
import { recordShared, type LaneDraft } from '../run/draft.js';
import type { Env } from '../run/env.js';

type Claim = RequestOf<'ClaimKey'>['data'];

/**
 * A run wants a key. This lane alone says who has it. A claim may come again at any later time, also after its run is
 * over: so nobody loses anything by a claim alone. What is given or promised is told to the claimant's lane, which hands
 * it back where the run is over, and only a claimant that lives sends older runs away.
 */
export const decideClaim = (lane: LaneDraft, claim: Claim, env: Env): void => {
  const { key, generation } = claim;
  const known = keyStateOf(lane.shared.keys, key);
  if (isSameRun(known.holder, claim) || known.queue.some((waiting) => isSameRun(waiting, claim))) return;
  const { highest } = known;
  if (generation !== undefined && highest !== null && generation < highest.generation) {
    return refuse(lane, claim, { code: 'older_generation', by: highest.runId }, env);
  }
  const { keys } = lane.shared;
  if (entryOf(keys, key) === undefined) forgetIdle(lane, { all: LIMITS.keysMax - 1 });
  if (entryOf(keys, key) === undefined && lane.shared.keys.size >= LIMITS.keysMax) {
    return refuse(lane, claim, { code: 'too_many_keys', by: null }, env);
  }
  take(lane, claim, known, env);
  refuseOlderGenerations(lane, claim, env);
};

const take = (lane: LaneDraft, claim: Claim, known: KeyState, env: Env): void => {
  const { holder } = known;
  if (holder === null) return assign(lane, claim, env);
  // One that is over, and whose word was lost, hands it back then: others are not refused for its sake for ever.
  if (known.assignedAt + DEFAULTS.keyAskAgainMs <= env.now) assign(lane, { key: claim.key, ...ticketOf(holder) }, env);
  // Whoever joins a run that is being replaced joins the one that replaces it.
  const first = known.queue[0]?.front === true ? known.queue[0] : holder;
  if (claim.policy === 'reject') return refuse(lane, claim, { code: 'held', by: holder.runId }, env);
  if (claim.policy === 'coalesce') return refuse(lane, claim, { code: 'joined', by: first.runId }, env);
  if (known.queue.length >= LIMITS.keyQueueMax) {
    return refuse(lane, claim, { code: 'queue_full', by: holder.runId }, env);
  }
  const front = claim.policy === 'cancel-older';
  recordShared(
    lane,
    sharedEvent('KeyQueued', {
      ...aboutOf(claim, env),
      policy: claim.policy,
      front,
      holder: holder.runId,
      place: front ? 1 : known.queue.length + 1,
      displaces: front ? [holder, ...known.queue].map(ticketOf) : [],
    }),
  );
};

/** A run is over, wherever it stands with the key: the next one gets it. */
export const decideRelease = (lane: LaneDraft, { key, runId, ticket }: RunTicket & { key: string }, env: Env): void => {
  const known = keyStateOf(lane.shared.keys, key);
  const one = { runId, ticket };
  if (!isSameRun(known.holder, one) && !known.queue.some((waiting) => isSameRun(waiting, one))) return;
  const until = env.now + DEFAULTS.keyMemoryMs;
  recordShared(lane, sharedEvent('KeyFreed', { key, runId, ticket, at: env.now, until }));
  const left = keyStateOf(lane.shared.keys, key);
  const next = left.queue[0];
  if (left.holder !== null) return;
  if (next === undefined) return forgetIdle(lane, { idle: LIMITS.keysIdleMax });
  const { generation } = next;
  assign(lane, { key, ...ticketOf(next), ...(generation === null ? {} : { generation }) }, env);
};

/** At most so many in one batch. */
const FORGET_MAX = 64;

/** Keys that nobody has and nobody waits for, beyond so many: what has been idle longest is forgotten first. */
const forgetIdle = (lane: LaneDraft, { all = Infinity, idle = Infinity }: { all?: number; idle?: number }): void => {
  const { keys } = lane.shared;
  if (keys.size <= Math.min(all, idle)) return;
  const unused = entriesIn(keys).filter(([, { holder, queue }]) => holder === null && queue.length === 0);
  const excess = Math.min(FORGET_MAX, Math.max(keys.size - all, unused.length - idle));
  if (excess <= 0) return;
  const longest = unused.toSorted(([, one], [, other]) => (one.until ?? 0) - (other.until ?? 0));
  for (const [key] of longest.slice(0, excess)) recordShared(lane, sharedEvent('KeyForgotten', { key }));
};

/**
 * What time leads to: what was only remembered is forgotten; and the holder of a key that others want is told again that
 * it has it, since one that is over, and whose word was lost, hands it back then.
 */
export const advanceKeys = (lane: LaneDraft, env: Env, eventsMax: number): void => {
  for (const [key, { holder }] of dueIn(lane.shared.keys, env.now).slice(0, eventsMax)) {
    if (holder === null) recordShared(lane, sharedEvent('KeyForgotten', { key }));
    else assign(lane, { key, ...ticketOf(holder) }, env);
  }
};

const assign = (lane: LaneDraft, claim: Pick<Claim, 'key' | 'runId' | 'ticket' | 'generation'>, env: Env): void => {
  const { queue } = keyStateOf(lane.shared.keys, claim.key);
  const waited = queue.find((waiting) => isSameRun(waiting, claim));
  const older = waited?.front === true ? queue.filter(({ no }) => no < waited.no) : [];
  recordShared(lane, sharedEvent('KeyAssigned', { ...aboutOf(claim, env), displaces: older.map(ticketOf) }));
};

/** What is waiting and about an older state of the world than one that was seen since never begins. */
const refuseOlderGenerations = (lane: LaneDraft, { key }: Claim, env: Env): void => {
  const { highest, queue } = keyStateOf(lane.shared.keys, key);
  if (highest === null) return;
  for (const { runId, ticket, generation } of queue) {
    if (generation === null || generation >= highest.generation) continue;
    refuse(lane, { key, runId, ticket }, { code: 'older_generation', by: highest.runId }, env);
  }
};

type Denied = { readonly code: KeyDenial; readonly by: string | null };

/** A run that never gets in has seen nothing: its generation does not make others obsolete. */
const refuse = (
  lane: LaneDraft,
  { key, runId, ticket }: Pick<Claim, 'key' | 'runId' | 'ticket'>,
  { code, by }: Denied,
  env: Env,
): void => recordShared(lane, sharedEvent('KeyRefused', { ...aboutOf({ key, runId, ticket }, env), code, by }));

const ticketOf = ({ runId, ticket }: RunTicket): RunTicket => ({ runId, ticket });

const aboutOf = (
  { key, runId, ticket, generation }: Pick<Claim, 'key' | 'runId' | 'ticket' | 'generation'>,
  { now }: Env,
) => ({
  key,
  runId,
  ticket,
  at: now,
  ...(generation === undefined ? {} : { generation }),
});
