import type { RequestOf } from '@holdfast/contracts';
import { LIMITS, runEvent, sharedEvent, type BulkCancel, type LiveRun } from '@holdfast/events';
import { cancelDeadline } from './cancel-deadline.js';
import { nextSeq, record, recordShared, type LaneDraft, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { refuse } from './refuse.js';
import { undoWish } from './undo-wish.js';

type Meant = Pick<BulkCancel, 'labels' | 'beforeSeq'>;

/** All runs of the lane with these labels are cancelled, some in each batch, under one deadline. */
export const decideBulkCancel = (draft: RunDraft, request: RequestOf<'CancelRuns'>, env: Env): void => {
  const { data, principal } = request;
  const { requestId, labels, reason = '', mode = 'abort', withinMs = env.settings.cancelMs } = data;
  const asked = { data: { requestId, runId: draft.runId } };
  if (data.lane !== env.lane) {
    const message = `there is no lane ${data.lane}; there are ${env.lanes}, counted from 0`;
    return refuse(draft, asked, { code: 'wrong_lane', message });
  }
  if (Object.keys(draft.lane.shared.bulkCancels).length >= LIMITS.bulkCancelsMax) {
    const message = `lane ${data.lane} works on ${LIMITS.bulkCancelsMax} cancels of many runs; ask again later`;
    return refuse(draft, asked, { code: 'too_many', message });
  }
  const beforeSeq = nextSeq(draft.lane);
  const runs = meantBy({ labels, beforeSeq }, draft.lane).length;
  const deadlineAt = env.now + withinMs;
  const undo = undoWish(data);
  const bulk = { lane: data.lane, requestId, principal, reason, labels, deadlineAt, mode, beforeSeq, runs, ...undo };
  recordShared(draft.lane, sharedEvent('BulkCancelRequested', bulk));
};

/** Runs that are still to be cancelled; one that is being cancelled already is not among them. */
const meantBy = ({ labels, beforeSeq }: Meant, lane: LaneDraft): readonly LiveRun[] =>
  [...lane.openRuns()].filter(
    (run) =>
      run.cancel === null &&
      run.acceptedSeq < beforeSeq &&
      Object.entries(labels).every(([name, value]) => Object.hasOwn(run.labels, name) && run.labels[name] === value),
  );

/** Decides about one run; false if that cannot be done. */
type On = (runId: string, decide: (draft: RunDraft) => void) => boolean;

/** Goes on with the cancels of many runs: at most `runsMax` runs now. */
export const advanceBulkCancels = (lane: LaneDraft, runsMax: number, now: number, on: On): void => {
  let left = runsMax;
  for (const bulk of Object.values(lane.shared.bulkCancels)) {
    if (left <= 0) return;
    const all = meantBy(bulk, lane);
    const some = all.slice(0, left);
    left -= some.length;
    const done = some.filter((run) => on(run.runId, (draft) => cancelOne(draft, run, bulk, now)));
    const { requestId } = bulk;
    const cancelled = bulk.cancelled + done.length;
    const type = some.length < all.length ? 'BulkCancelAdvanced' : 'BulkCancelEnded';
    recordShared(lane, sharedEvent(type, { requestId, cancelled }));
  }
};

const cancelOne = (draft: RunDraft, run: LiveRun, bulk: BulkCancel, now: number): void => {
  const { principal, reason, mode, requestId } = bulk;
  const deadlineAt = cancelDeadline(run, bulk.deadlineAt, now);
  const id = `${requestId}/${run.runId}`;
  const cancel = { requestId: id, principal, reason, deadlineAt, mode, bulk: requestId, ...undoWish(bulk) };
  record(draft, runEvent('CancelRequested', cancel), principal);
};
