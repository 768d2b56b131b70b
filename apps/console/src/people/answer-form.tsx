import { routes, type QuestionView } from '@holdfast/api';
import { Button, Radio, Stack, Textarea } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { changes } from '../api/endpoints.js';
import { useChange } from '../api/use-change.js';
import { useMissing } from '../api/use-me.js';
import { now } from '../format/clock.js';
import { ProblemNote } from '../parts/states.js';
import { NotDone } from '../run/header/change-dialog.js';
import { answerBody, choiceFollows, choiceWords, JSON_FIELD, needsOf, silenceWords, type Needs } from './answering.js';
import { FormFields } from './form-fields.js';
import type { Draft } from './form-value.js';
import classes from './people.module.css';

export const AnswerForm = ({ question }: { readonly question: QuestionView }) => {
  const { choices, kind, runId } = question;
  const [choice, setChoice] = useState(choices.length === 1 ? (choices[0] ?? '') : '');
  const [note, setNote] = useState('');
  const [draft, setDraft] = useState<Draft>({});
  const [json, setJson] = useState('');
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const change = useChange();
  const why = useMissing()(routes.answerQuestion);
  const needs = needsOf(question, choice);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const answer = answerBody(question, { choice, note, draft, json, lookedAt: now() });
    setProblems(answer.ok ? {} : answer.problems);
    if (answer.ok) change.mutate({ path: changes.answer(runId), body: answer.body });
  };
  return (
    <form onSubmit={submit} className={classes.form} aria-label={`Answer to question ${question.seq} of ${runId}`}>
      <Choices question={question} choice={choice} choose={setChoice} />
      {needs.with === 'value' && (
        <FormFields fields={needs.fields} draft={draft} problems={problems} change={setDraft} />
      )}
      <JsonField needs={needs} json={json} problem={problems[JSON_FIELD]} type={setJson} />
      <Textarea
        label="Note"
        description="Kept with the answer."
        maxLength={2_000}
        autosize
        minRows={1}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {change.error && <ProblemNote error={change.error} />}
      {change.data && <NotDone answer={change.data} />}
      <div className={classes.end}>
        <Button type="submit" disabled={choice === '' || why !== null} loading={change.isPending}>
          {choice === '' ? 'Choose an answer' : `Send: ${choiceWords(kind, choice)}`}
        </Button>
        {why !== null && <span>{why}</span>}
        <span className="dim">If nobody answers, {silenceWords(question.onSilence)}.</span>
      </div>
    </form>
  );
};

type ChoicesProps = {
  readonly question: QuestionView;
  readonly choice: string;
  readonly choose: (choice: string) => void;
};
const Choices = ({ question: { choices, kind }, choice, choose }: ChoicesProps) =>
  choices.length === 1 && choices[0] === 'answer' ? null : (
    <Radio.Group label="Your answer" value={choice} onChange={choose}>
      <Stack gap={7} mt={6}>
        {choices.map((one) => (
          <Radio
            key={one}
            value={one}
            size="xs"
            label={choiceWords(kind, one)}
            description={choiceFollows(kind, one)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );

type JsonFieldProps = {
  readonly needs: Needs;
  readonly json: string;
  readonly problem: string | undefined;
  readonly type: (json: string) => void;
};
const JsonField = ({ needs, json, problem, type }: JsonFieldProps) => {
  if (needs.with !== 'result' && needs.with !== 'budget') return null;
  const ofResult = needs.with === 'result';
  return (
    <Textarea
      label={ofResult ? 'What the step returned, as JSON' : 'The new budget, as JSON'}
      description={ofResult ? 'Later steps may need it.' : '{ "effects": 200 }: what is not named stays.'}
      autosize
      minRows={2}
      value={json}
      error={problem}
      onChange={(event) => type(event.currentTarget.value)}
      classNames={{ input: 'mono' }}
    />
  );
};
