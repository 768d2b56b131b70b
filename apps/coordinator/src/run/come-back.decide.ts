import { openStep, type Failure } from '@holdfast/events';
import { askPerson } from './ask.decide.js';
import { liveRun, type RunDraft } from './draft.js';
import type { Env } from './env.js';

type Told = {
  readonly stepId: string;
  readonly attempt: number;
  /** When it was told to come back, epoch ms. */
  readonly dueAt: number;
  readonly failure: Failure;
};

/** The step is to come back when its run must be over already: nobody waits for that, a person is asked at once. */
export const comesTooLate = (draft: RunDraft, { stepId, attempt, dueAt, failure }: Told, env: Env): void => {
  const run = liveRun(draft);
  const step = openStep(run, stepId);
  if (run === undefined || step === undefined) return;
  const until = new Date(run.deadlineAt).toISOString();
  const question =
    `Step ${stepId} (${step.tool}) was told to come back at ${new Date(dueAt).toISOString()}, but its run must be over ` +
    `by ${until}: ${failure.message} (${failure.code}). Run it again at once, or give it up?`;
  const choices = ['retry', 'fail'];
  askPerson(draft, { stepId, attempt, kind: 'exhausted', doubtSeq: null, question, choices }, env);
};
