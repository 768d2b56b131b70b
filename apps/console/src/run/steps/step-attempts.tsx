import type { AttemptView } from '@holdfast/api';
import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { Facts } from '../../parts/layout.js';
import { Answered } from '../../parts/states.js';
import { Status } from '../../parts/status.js';
import { ClockTime, Lasting } from '../../parts/times.js';
import classes from './steps.module.css';

export const StepAttempts = ({ runId, stepId }: { readonly runId: string; readonly stepId: string }) => {
  const query = useAnswer(endpoints.attempts(runId, { step: stepId }));
  return (
    <Answered query={query} what="attempts">
      <ol className={classes.attempts}>
        {query.data?.items.map((attempt) => (
          <li key={attempt.attempt} className={classes.attempt}>
            <Attempt attempt={attempt} />
          </li>
        ))}
      </ol>
    </Answered>
  );
};

const Attempt = ({ attempt }: { readonly attempt: AttemptView }) => (
  <>
    <div className={classes.attemptHead}>
      <b>Attempt {attempt.attempt}</b>
      <Status of={attempt.status} />
      {attempt.effect !== null && attempt.effect !== attempt.status && (
        <span>
          effect <Status of={attempt.effect} />
        </span>
      )}
      {attempt.settling && <span className="dim">settles a doubt, under the same key</span>}
    </div>
    <Facts
      facts={[
        ['Held by', attempt.session ?? 'nobody that is known'],
        ['Queue', `${attempt.queue}, partition ${attempt.partition}`],
        ['Scheduled', <ClockTime key="scheduled" at={attempt.scheduledAt} />],
        attempt.heldAt !== null && ['Held since', <ClockTime key="held" at={attempt.heldAt} />],
        ['Took', <Lasting key="took" from={attempt.scheduledAt} to={attempt.endedAt} />],
      ]}
    />
  </>
);
