import { isWithinDepth, jsonBytes, LIMITS, shorten } from '@holdfast/events';
import type { Json, PlanAsk } from '@holdfast/programs';
import { askPerson, type Asked } from './ask.decide.js';
import type { RunDraft } from './draft.js';
import type { Env } from './env.js';

export type Problem = { readonly code: string; readonly message: string };

/** A question of the plan is ready to be asked. Answers why it cannot be, or how many scheduled steps it weighs. */
export const askQuestion = (
  draft: RunDraft,
  { stepId, args }: { readonly stepId: string; readonly args: Json },
  { ask }: PlanAsk,
  env: Env,
): { readonly problem: Problem } | { readonly weight: number } => {
  const { question, context } = args as { readonly question: Json; readonly context?: Json };
  if (typeof question !== 'string') {
    const message = `the question is ${shorten(JSON.stringify(question), 200)}, not a text`;
    return { problem: { code: 'question_not_text', message } };
  }
  const problem = contextProblem(context ?? null);
  if (problem !== null) {
    return { problem: { code: 'context_too_large', message: `what is shown beside the question ${problem}` } };
  }
  const { choices, schema, onSilence } = ask;
  const asked = {
    stepId,
    attempt: 0,
    kind: 'question',
    doubtSeq: null,
    question,
    choices: [...(choices ?? ['answer'])],
    ...(context === undefined ? {} : { context }),
    ...(schema === undefined ? {} : { schema }),
    ...(onSilence === undefined ? {} : { onSilence }),
    asking: ask,
  } as Asked;
  return { weight: askPerson(draft, asked, env) };
};

/** Nobody decides about what they cannot be shown. */
export const contextProblem = (context: Json): string | null => {
  const bytes = jsonBytes(context);
  if (bytes > LIMITS.contextBytes) return `has ${bytes} bytes; a person can be shown ${LIMITS.contextBytes}`;
  return isWithinDepth(context, LIMITS.valueDepth) ? null : `has more than ${LIMITS.valueDepth} levels`;
};
