import type { RequestOf } from '@holdfast/contracts';
import {
  cancelKey,
  DEFAULTS,
  dueIn,
  entriesIn,
  entryOf,
  LIMITS,
  runEvent,
  sharedEvent,
  type Reply,
  type Shared,
} from '@holdfast/events';
import { cancelDeadline, withinOf } from './cancel-deadline.js';
import { liveRun, record, recordShared, type LaneDraft, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { refuse } from './refuse.js';
import { undoWish } from './undo-wish.js';

/** A cancel that overtook its run is kept until the run comes: it is never silently lost. */
export const rememberCancel = (draft: RunDraft, request: RequestOf<'CancelRun'>, env: Env): void => {
  const { data, principal } = request;
  const { requestId, runId } = data;
  const { cancels } = draft.lane.shared;
  const known = entryOf(cancels, cancelKey(data));
  const sooner = (data.deadlineAt ?? Infinity) < (known?.deadlineAt ?? -Infinity);
  if (known !== undefined && !sooner) {
    const message = `no run ${runId} is known yet, and it is to be cancelled already when it comes`;
    return void draft.replies.push({ requestId, runId, outcome: 'unchanged', message });
  }
  if (isFull(cancels, data)) {
    const kept = `this lane keeps ${LIMITS.cancelsRememberedMax} cancels of runs to come already`;
    const message = `there is no run ${runId}, and ${kept}; check the id and the namespace, or ask again later`;
    return refuse(draft, request, { code: 'too_many', message });
  }
  recordShared(
    draft.lane,
    sharedEvent('CancelRemembered', {
      runId,
      requestId,
      principal,
      reason: data.reason ?? '',
      withinMs: withinOf(data, env),
      mode: data.mode ?? 'abort',
      until: env.now + DEFAULTS.cancelMemoryMs,
      ...(data.deadlineAt === undefined ? {} : { deadlineAt: data.deadlineAt }),
      ...(data.child === undefined ? {} : { child: data.child }),
      ...undoWish(data),
    }),
  );
};

/** Children that are still to come have places of their own: nobody else fills those. */
const isFull = (cancels: Shared['cancels'], { child }: RequestOf<'CancelRun'>['data']): boolean => {
  if (cancels.size < LIMITS.cancelsRememberedMax) return false;
  const alike = entriesIn(cancels).filter(([, known]) => (known.child === undefined) === (child === undefined));
  return alike.length >= LIMITS.cancelsRememberedMax;
};

/** The run has just been accepted: a cancel that came before it counts now. */
export const applyRememberedCancel = (draft: RunDraft, env: Env): void => {
  const { cancels } = draft.lane.shared;
  const run = liveRun(draft);
  const child = run?.parent?.ticket;
  const names = [cancelKey({ runId: draft.runId }), cancelKey({ runId: draft.runId, child })];
  const all = names
    .flatMap((name) => entryOf(cancels, name) ?? [])
    .filter(({ until }) => until > env.now)
    .toSorted((one, other) => withinOf(one, env) - withinOf(other, env));
  const [known] = all;
  if (run === undefined || known === undefined) return;
  const { requestId, principal, reason, mode } = known;
  const deadlineAt = cancelDeadline(run, env.now + withinOf(known, env), env.now);
  record(
    draft,
    runEvent('CancelRequested', {
      requestId,
      principal,
      reason,
      deadlineAt,
      mode,
      ...undoWish(all.find(({ compensate }) => compensate !== undefined) ?? known),
    }),
    principal,
  );
  // The later one has come true as well: nobody is told that its run never came.
  for (const one of new Set(all)) {
    const used = { runId: one.runId, requestId: one.requestId, cause: 'used' as const, ...meant(one) };
    recordShared(draft.lane, sharedEvent('CancelForgotten', used));
  }
};

const meant = ({ child }: { readonly child?: string | undefined }) => (child === undefined ? {} : { child });

/** Cancels whose run never came; each is answered a second time. Answers whether all were looked at. */
export const forgetCancels = (lane: LaneDraft, now: number, eventsMax: number): readonly Reply[] => {
  const over = dueIn(lane.shared.cancels, now).slice(0, eventsMax);
  return over.map(([, known]) => {
    const { runId, requestId } = known;
    recordShared(lane, sharedEvent('CancelForgotten', { runId, requestId, cause: 'expired', ...meant(known) }));
    return expiredReply({ runId, requestId });
  });
};

/** The answer to a cancel whose run never came. */
export const expiredReply = ({ requestId, runId }: Pick<Reply, 'requestId' | 'runId'>): Reply => {
  const message = `no run ${runId} came within ${DEFAULTS.cancelMemoryMs / 60_000} minutes; check the id and the namespace`;
  return { requestId, runId, outcome: 'refused', code: 'unknown_run', message };
};
