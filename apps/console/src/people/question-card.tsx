import type { QuestionView } from '@holdfast/api';
import { Link } from 'react-router';
import { Json } from '../parts/json.js';
import { Status } from '../parts/status.js';
import { Ago, Countdown } from '../parts/times.js';
import { AnswerForm } from './answer-form.js';
import { kindWords, silenceWords } from './answering.js';
import { approvedCall } from './approved-call.js';
import { Approval } from './approval.js';
import { Ladder } from './ladder.js';
import classes from './people.module.css';

type Props = { readonly question: QuestionView; readonly withRun: boolean };

/** One question: what is asked, what is shown beside it, who is asked, until when; and the form to answer it. */
export const QuestionCard = ({ question, withRun }: Props) => {
  const call = approvedCall(question);
  const heading = `question-${question.runId}-${question.seq}`;
  return (
    <article className={`panel ${classes.card}`} aria-labelledby={heading} data-question={question.seq}>
      <div className={classes.head}>
        <span className={classes.kind}>{kindWords(question.kind)}</span>
        {question.status === 'open' ? <Until question={question} /> : <Status of={question.status} />}
      </div>
      <h2 id={heading} className={classes.question}>
        {question.question}
      </h2>
      <p className="dim">
        Asked <Ago at={question.openedAt} /> about step{' '}
        <Link
          to={`/runs/${encodeURIComponent(question.runId)}/steps?step=${encodeURIComponent(question.stepId)}`}
          className="mono wrap"
        >
          {question.stepId}
        </Link>
        {withRun && (
          <>
            {' of '}
            <Link to={`/runs/${encodeURIComponent(question.runId)}`} className="mono wrap">
              {question.runId}
            </Link>
          </>
        )}
        {` · number ${question.seq}`}
      </p>
      {question.assignees.length > 0 && <Ladder question={question} />}
      {call !== null ? <Approval call={call} /> : <Context value={question.context} />}
      {question.status === 'open' ? <AnswerForm question={question} /> : <Answer question={question} />}
    </article>
  );
};

const Until = ({ question: { expiresAt, onSilence } }: { readonly question: QuestionView }) => (
  <span title={`If nobody answers, ${silenceWords(onSilence)}`}>
    <span className="dim">answer within </span>
    <b>
      <Countdown at={expiresAt} />
    </b>
  </span>
);

const Context = ({ value }: { readonly value: unknown }) =>
  value === null || value === undefined ? null : (
    <Json value={value} label="What is shown beside the question" max={260} />
  );

const Answer = ({ question: { choice, answeredBy, note, endedAt, status } }: { readonly question: QuestionView }) => (
  <div className={classes.answered}>
    {choice !== null && (
      <p>
        <b>{choice}</b> by {answeredBy ?? 'somebody without a name'}{' '}
        {endedAt !== null && (
          <span className="dim">
            <Ago at={endedAt} />
          </span>
        )}
      </p>
    )}
    {choice === null && status === 'expired' && <p>Nobody answered in time.</p>}
    {choice === null && status === 'withdrawn' && <p>It was settled in another way, or the run was over.</p>}
    {note !== null && note !== '' && <p className="wrap">“{note}”</p>}
  </div>
);
