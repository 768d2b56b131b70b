import type { RequestOf } from '@holdfast/contracts';
import { runEvent } from '@holdfast/events';
import { changeableRun, unchanged } from './changeable.js';
import { record, type RunDraft } from './draft.js';
import type { Env } from './env.js';

/** Nothing new starts after this; what nobody has claimed is closed, what is claimed may finish. Deadlines go on. */
export const decidePause = (draft: RunDraft, request: RequestOf<'PauseRun'>, env: Env): void => {
  const run = changeableRun(draft, request);
  if (run === undefined) return;
  if (run.paused !== null) return unchanged(draft, request, 'the run is paused already');
  const { principal } = request;
  const { requestId, reason = '' } = request.data;
  record(draft, runEvent('RunPaused', { requestId, principal, reason, pausedAt: env.now }), principal);
};

/** It goes on where it stood. */
export const decideResume = (draft: RunDraft, request: RequestOf<'ResumeRun'>, env: Env): void => {
  const run = changeableRun(draft, request);
  if (run === undefined) return;
  if (run.paused === null) return unchanged(draft, request, 'the run is not paused');
  const { principal } = request;
  const { requestId, reason = '' } = request.data;
  record(draft, runEvent('RunResumed', { requestId, principal, reason, resumedAt: env.now }), principal);
};
