import type { KnownChoice } from '@holdfast/events';
import { askPerson } from './ask.decide.js';
import type { RunDraft } from './draft.js';
import type { Env } from './env.js';

/** Stands for the run as a whole where a question is about no step; no step can have this name. */
export const WHOLE_RUN = '*';

export type RunQuestion = {
  readonly kind: 'budget' | 'loop';
  readonly stepId: string | null;
  readonly question: string;
  readonly choices: readonly KnownChoice[];
};

/** Asks a person about the run, and not about what became of a step. On silence the run ends. */
export const askAboutRun = (draft: RunDraft, { stepId, choices, ...asked }: RunQuestion, env: Env): void => {
  askPerson(draft, { ...asked, stepId: stepId ?? WHOLE_RUN, attempt: 0, doubtSeq: null, choices: [...choices] }, env);
};
