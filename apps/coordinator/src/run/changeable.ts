import type { LiveRun } from '@holdfast/events';
import { liveRun, type RunDraft } from './draft.js';
import { refuse } from './refuse.js';

type Asked = { readonly data: { readonly requestId: string; readonly runId: string } };

/** The run, where it may still be changed; otherwise the request is refused with the reason. */
export const changeableRun = (draft: RunDraft, request: Asked): LiveRun | undefined => {
  const { runId } = request.data;
  const run = liveRun(draft);
  if (draft.run === undefined) {
    refuse(draft, request, {
      code: 'unknown_run',
      message: `there is no run ${runId}; check the id and the namespace`,
    });
    return undefined;
  }
  if (run === undefined || run.end !== null) {
    const message = `the run has ended already: ${draft.run.end?.reason}`;
    refuse(draft, request, { code: 'run_ended', message });
    return undefined;
  }
  if (run.cancel === null) return run;
  const until = new Date(run.cancel.deadlineAt).toISOString();
  refuse(draft, request, { code: 'run_cancelling', message: `the run is being cancelled and ends by ${until}` });
  return undefined;
};

/** Answers that nothing is changed, and why. */
export const unchanged = (draft: RunDraft, { data }: Asked, message: string, code?: 'run_ended'): void => {
  const { requestId, runId } = data;
  draft.replies.push({ requestId, runId, outcome: 'unchanged', message, ...(code === undefined ? {} : { code }) });
};
