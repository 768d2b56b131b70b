import type { RequestOf } from '@holdfast/contracts';
import { runEvent } from '@holdfast/events';
import { unchanged } from './changeable.js';
import { record, type RunDraft } from './draft.js';
import { endRun } from './end.decide.js';
import type { Env } from './env.js';
import { refuse } from './refuse.js';

/** The run is over at once. What is under way is told to stop; the report names it, and is amended by what becomes of it. */
export const decideKill = (draft: RunDraft, request: RequestOf<'KillRun'>, env: Env): void => {
  const { data, principal } = request;
  const { requestId, runId, reason = '' } = data;
  const { run } = draft;
  if (run === undefined) {
    const message = `there is no run ${runId}; a cancel is kept for a run that is still to come, a kill is not`;
    return refuse(draft, request, { code: 'unknown_run', message });
  }
  if (run.status === 'ended' || run.end !== null) {
    return unchanged(draft, request, `the run has ended already: ${run.end?.reason}`, 'run_ended');
  }
  record(draft, runEvent('KillRequested', { requestId, principal, reason }), principal);
  const detail = reason === '' ? 'killed' : `killed: ${reason}`;
  endRun(
    draft,
    { reason: 'cancelled', detail, cause: { kind: 'kill', detail: reason, by: principal, requestId } },
    env,
  );
};
