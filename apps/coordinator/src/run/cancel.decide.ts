import type { RequestOf } from '@holdfast/contracts';
import { runEvent } from '@holdfast/events';
import { record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { rememberCancel } from './remembered-cancel.decide.js';

/** From this event on nothing is scheduled; what is under way is closed or told to stop; terminal by the deadline. */
export const decideCancel = (draft: RunDraft, request: RequestOf<'CancelRun'>, env: Env): void => {
  const { data, principal } = request;
  const { requestId, runId } = data;
  const run = draft.run;
  if (run === undefined) {
    return rememberCancel(draft, request, env);
  }
  if (run.status === 'ended' || run.end !== null) {
    const end = run.end;
    const message = `the run has ended already: ${end?.reason}`;
    return void draft.replies.push({ requestId, runId, outcome: 'unchanged', code: 'run_ended', message });
  }
  if (run.cancel !== null) {
    const message = 'the run is being cancelled already';
    return void draft.replies.push({ requestId, runId, outcome: 'unchanged', message });
  }
  record(
    draft,
    runEvent('CancelRequested', {
      requestId,
      principal,
      reason: data.reason ?? '',
      deadlineAt: env.now + (data.withinMs ?? env.settings.cancelMs),
      mode: data.mode ?? 'abort',
    }),
    principal,
  );
};
