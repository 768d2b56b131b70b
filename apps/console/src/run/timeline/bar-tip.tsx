import { durationWords } from '../../format/time.js';
import { Status } from '../../parts/status.js';
import type { Bar } from './layout.js';
import classes from './timeline.module.css';

type Props = {
  readonly bar: Bar;
  readonly point: { readonly x: number; readonly y: number };
  readonly width: number;
};

const WIDTH = 270;

/** What the attempt under the pointer is. */
export const BarTip = ({ bar: { attempt, ordered, from, to }, point, width }: Props) => (
  <div
    className={classes.tip}
    style={{ left: Math.max(0, Math.min(width - WIDTH, point.x + 12)), top: point.y + 16, width: WIDTH }}
  >
    <b className="mono wrap">{attempt.stepId}</b>
    <div>
      <Status of={attempt.status} /> <span className="dim">attempt {attempt.attempt}</span>
    </div>
    <div>{attempt.tool}</div>
    <div className="dim num">
      waited {durationWords(from - ordered)}, {attempt.endedAt === null ? 'under way for' : 'took'}{' '}
      {durationWords(to - from)}
    </div>
    <div className="dim wrap">{attempt.session ?? 'held by nobody that is known'}</div>
  </div>
);
