import type { ReactNode } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { Sentence } from '../../parts/sentence.js';
import classes from '../run.module.css';

type About = 'moving' | 'effects' | 'cost' | 'cancel' | 'resume' | 'repeat';

/** What will happen: what always holds of the action, and what the explanation says of this run right now. */
export const WhatHappens = ({
  runId,
  about,
  children,
}: {
  readonly runId: string;
  readonly about: readonly About[];
  readonly children?: ReactNode;
}) => {
  const { data, isPending } = useAnswer(endpoints.explain(runId));
  const parts = data?.parts.filter((part) => about.includes(part.about) && part.lines.length > 0) ?? [];
  return (
    <div className={classes.says} aria-live="polite">
      {children !== undefined && <p>{children}</p>}
      {isPending && <p className="dim">Asking what would happen…</p>}
      {parts.map((part) => (
        <div key={part.about}>
          <strong>{part.title}</strong>
          <ul>
            {part.lines.map((line) => (
              <li key={line}>
                <Sentence text={line} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
};
