import { runEvent, type Amounts } from '@holdfast/events';
import { askPerson } from './ask.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';

/** An outcome contradicts what was acted on: never hidden, a person is told. Told once per step and attempt. */
export const openConflict = (
  draft: RunDraft,
  found: {
    readonly stepId: string;
    readonly attempt: number;
    readonly session: string;
    readonly used?: Amounts | undefined;
  },
  actedOn: string,
  env: Env,
): void => {
  const { stepId, attempt, session } = found;
  if (liveRun(draft)?.report.conflicts.some((known) => known.stepId === stepId && known.attempt === attempt)) return;
  const summary = `attempt ${attempt} of ${stepId} reported success, but it had been acted on as ${actedOn}`;
  record(
    draft,
    runEvent('ConflictFound', {
      stepId,
      attempt,
      session,
      found: 'succeeded',
      actedOn,
      evidence: { summary },
      used: { effects: 1, ...found.used },
    }),
  );
  const question = `${summary}: its effect may have happened twice. Check the tool, then acknowledge.`;
  askPerson(draft, { stepId, attempt, kind: 'conflict', doubtSeq: null, question, choices: ['acknowledge'] }, env);
};
