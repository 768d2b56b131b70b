import { runStatuses } from '@holdfast/api';
import { endpoints } from '../api/endpoints.js';
import { useAnswer } from '../api/use-answer.js';
import { countWords } from '../format/numbers.js';
import { Status } from '../parts/status.js';
import classes from './runs.module.css';

/** How many runs there are of each status. Pressing one narrows the list to it. */
export const CountersStrip = ({
  chosen,
  toggle,
}: {
  readonly chosen: readonly string[];
  readonly toggle: (status: string) => void;
}) => {
  const { data } = useAnswer(endpoints.counters(), { every: 15_000 });
  return (
    <div className={classes.counters} role="group" aria-label="Runs by status">
      {runStatuses.map((status) => {
        const count = data?.runs[status];
        return (
          <button
            key={status}
            type="button"
            className={classes.counter}
            aria-pressed={chosen.includes(status)}
            onClick={() => toggle(status)}
            data-none={count === undefined || count === 0 ? '' : undefined}
          >
            <span className={classes.counterNumber}>
              {count === undefined ? (data === undefined ? '–' : '0') : countWords(count)}
            </span>
            <Status of={status} />
          </button>
        );
      })}
    </div>
  );
};
