import { isLane, type RequestOf } from '@holdfast/contracts';
import { runEvent } from '@holdfast/events';
import { cancelDeadline, withinOf } from './cancel-deadline.js';
import { unchanged } from './changeable.js';
import { record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { refuse } from './refuse.js';
import { rememberCancel } from './remembered-cancel.decide.js';
import { undoWish } from './undo-wish.js';

/** From this event on nothing is scheduled; what is under way is closed or told to stop; terminal by the deadline. */
export const decideCancel = (draft: RunDraft, request: RequestOf<'CancelRun'>, env: Env): void => {
  const { data, principal } = request;
  const { requestId } = data;
  const run = draft.run;
  if (data.child !== undefined && !isLane(principal)) {
    const message = 'child: only a run that has begun another one says that';
    return refuse(draft, request, { code: 'invalid_request', message });
  }
  if (run === undefined) {
    return rememberCancel(draft, request, env);
  }
  if (data.child !== undefined && run.status !== 'ended' && run.parent?.ticket !== data.child) {
    return unchanged(draft, request, 'another run of that id is meant');
  }
  if (run.status === 'ended' || run.end !== null) {
    return unchanged(draft, request, `the run has ended already: ${run.end?.reason}`, 'run_ended');
  }
  const deadlineAt = cancelDeadline(run, env.now + withinOf(data, env), env.now);
  // A child is never over later than the run that began it, whoever has cancelled it before.
  const sooner = data.child !== undefined && deadlineAt < (run.cancel?.deadlineAt ?? Infinity);
  if (run.cancel !== null && !sooner) {
    const until = new Date(run.cancel.deadlineAt).toISOString();
    return unchanged(draft, request, `the run is being cancelled already and ends by ${until}`);
  }
  record(
    draft,
    runEvent('CancelRequested', {
      requestId,
      principal,
      reason: data.reason ?? '',
      deadlineAt,
      mode: run.cancel?.mode ?? data.mode ?? 'abort',
      // Less time changes nothing about what was wished before.
      ...undoWish(run.cancel?.compensate === undefined ? data : run.cancel),
    }),
    principal,
  );
};
