import type { QuestionView } from '@holdfast/api';
import { fieldsOf, type Field } from './form-model.js';
import { readJson, valueOf, type Draft } from './form-value.js';

/** What a choice needs beside itself. */
export type Needs =
  | { readonly with: 'nothing' }
  /** A value in the asker's form. */
  | { readonly with: 'value'; readonly fields: readonly Field[] }
  /** What the step returned, where a person knows that it was applied. */
  | { readonly with: 'result' }
  /** What the run may use from now on. */
  | { readonly with: 'budget' };

type Asked = Pick<QuestionView, 'kind' | 'schema' | 'seq'>;

export const needsOf = ({ kind, schema }: Asked, choice: string): Needs => {
  if (choice === 'answer' && schema !== null) return { with: 'value', fields: fieldsOf(schema) };
  if (kind === 'doubt' && choice === 'applied') return { with: 'result' };
  if (kind === 'budget' && choice === 'raise') return { with: 'budget' };
  return { with: 'nothing' };
};

export type Given = {
  readonly choice: string;
  readonly note: string;
  readonly draft: Draft;
  /** A result or a budget, as JSON. */
  readonly json: string;
  /** When the person looked: an `absent` counts only if that was after the settle window. */
  readonly lookedAt: number;
};

export type Body =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>> };

/** Exactly what is sent as the answer. */
export const answerBody = (question: Asked, given: Given): Body => {
  const needs = needsOf(question, given.choice);
  const extra = extraOf(needs, given);
  if (!extra.ok) return extra;
  const note = given.note.trim();
  const lookedAt = question.kind === 'doubt' ? { lookedAt: given.lookedAt } : {};
  return {
    ok: true,
    body: {
      escalation: question.seq,
      choice: given.choice,
      ...extra.body,
      ...lookedAt,
      ...(note === '' ? {} : { note }),
    },
  };
};

export const JSON_FIELD = 'json';

const extraOf = (needs: Needs, { draft, json }: Given): Body => {
  if (needs.with === 'nothing') return { ok: true, body: {} };
  if (needs.with === 'value') {
    const filled = valueOf(needs.fields, draft);
    return filled.ok ? { ok: true, body: { value: filled.value } } : filled;
  }
  if (json.trim() === '' && needs.with === 'result') return { ok: true, body: {} };
  const read = readJson(json);
  if ('problem' in read) return { ok: false, problems: { [JSON_FIELD]: read.problem } };
  return { ok: true, body: { [needs.with]: read.value } };
};

const choices: Readonly<Record<string, string>> = {
  applied: 'It happened',
  absent: 'It did not happen',
  fail: 'Give the step up',
  retry: 'Run it again',
  acknowledge: 'I have seen it',
  approve: 'Approve this call',
  reject: 'Reject it',
  answer: 'Answer',
  raise: 'Raise the budget',
  end: 'End the run',
  continue: 'Go on',
};

/** A choice as a button says it: the runtime's own in words, those of a plan as they are. */
export const choiceWords = (kind: string, choice: string): string =>
  kind === 'question' && choice !== 'answer' ? choice : (choices[choice] ?? choice);

/** What follows from a choice, for those that the runtime offers. */
const followsWords: Readonly<Record<string, string>> = {
  applied: 'The step has succeeded with the result below; it is not called again.',
  absent: 'It may be called again. Refused while the effect could still land.',
  fail: 'The step has failed; the plan says what that means for the run.',
  retry: 'The step is run again.',
  acknowledge: 'Nothing changes; the conflict stays in the report.',
  approve: 'This very call is made once. Another one is asked about anew.',
  reject: 'The step fails and is not tried again.',
  raise: 'The run goes on with the budget below; what is not named stays.',
  end: 'The run ends.',
  continue: 'The run goes on.',
};
export const choiceFollows = (kind: string, choice: string): string | null =>
  kind === 'question' ? null : (followsWords[choice] ?? null);

const kinds: Readonly<Record<string, string>> = {
  doubt: 'Did it happen?',
  exhausted: 'Tries used up',
  quarantine: 'Lost its worker again and again',
  conflict: 'An outcome contradicts what was acted on',
  question: 'The plan asks',
  approval: 'A call needs leave',
  budget: 'The budget is used up',
  loop: 'It goes round in circles',
};
export const kindWords = (kind: string): string => kinds[kind] ?? kind;

/** What it means that nobody answers. */
export const silenceWords = (onSilence: string): string => {
  if (onSilence === 'end') return 'the run ends as “escalation expired”';
  if (onSilence === 'fail') return 'the step fails and the run goes on as its plan says';
  return `it counts as answered: ${onSilence}`;
};
