import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { Sentence } from '../../parts/sentence.js';
import { Answered } from '../../parts/states.js';
import { ClockTime } from '../../parts/times.js';
import classes from './steps.module.css';

/** All that the history says of one step: how a doubt about it was found out is in here. */
export const StepEvents = ({ runId, stepId }: { readonly runId: string; readonly stepId: string }) => {
  const query = useAnswer(endpoints.history(runId, { step: stepId }));
  return (
    <Answered query={query} what="events">
      <ol className={classes.events}>
        {query.data?.items.map(({ seq, at, words }) => (
          <li key={seq}>
            <span className="dim">
              <ClockTime at={at} />
            </span>
            <span>
              <Sentence text={words} />
            </span>
          </li>
        ))}
      </ol>
    </Answered>
  );
};
