import { runEvent, shortageWords, type Shortage } from '@holdfast/events';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { askAboutRun } from './run-question.decide.js';

export type Exhaustion = { readonly stepId: string | null; readonly short: readonly Shortage[]; readonly why: string };

/** Nothing more is left: nothing new is started, and the run ends, or a person is asked for more. */
export const exhaust = (draft: RunDraft, { stepId, short, why }: Exhaustion, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  const where = stepId === null ? '' : ` at step ${stepId}`;
  const detail = `${why === '' ? short.map(shortageWords).join('; ') : why}${where}`;
  const policy = run.budget.limits?.onExhausted ?? 'end';
  record(draft, runEvent('BudgetExhausted', { atStep: stepId, short: [...short], detail, policy }));
  if (policy !== 'ask') return;
  const question = `The budget of the run is used up: ${detail}. Raise it, or end the run?`;
  askAboutRun(draft, { kind: 'budget', stepId, question, choices: ['raise', 'end'] }, env);
};
