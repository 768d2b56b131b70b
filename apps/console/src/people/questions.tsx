import type { QuestionView } from '@holdfast/api';
import type { ReactNode } from 'react';
import type { Listed } from '../api/use-answer.js';
import { MoreButton } from '../parts/more-button.js';
import { Answered } from '../parts/states.js';
import { QuestionCard } from './question-card.js';
import classes from './people.module.css';

type Props = { readonly list: Listed<QuestionView>; readonly empty: ReactNode; readonly withRun?: boolean };

export const Questions = ({ list, empty, withRun = false }: Props) => (
  <Answered query={list.query} what="questions">
    {list.items.length === 0 ? (
      <div className="panel">{empty}</div>
    ) : (
      <div className={classes.list}>
        {list.items.map((question) => (
          <QuestionCard key={`${question.runId} ${question.seq}`} question={question} withRun={withRun} />
        ))}
      </div>
    )}
    <MoreButton list={list} />
  </Answered>
);
