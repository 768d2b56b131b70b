import { endpoints } from '../api/endpoints.js';
import { useAnswer } from '../api/use-answer.js';
import classes from './shell.module.css';

const EVERY_MS = 10_000;
export const useHealth = () => useAnswer(endpoints.health(), { every: EVERY_MS });

/** What the gateway says is wrong with it. Nothing where all is well. */
export const HealthBanner = () => {
  const { data } = useHealth();
  if (data === undefined || data.ready) return null;
  return (
    <div className={classes.banner} role="status">
      <strong>The gateway is not ready</strong>
      <ul>
        {data.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </div>
  );
};
