import { causeWords, verdictWords } from '../../doubts/phases.js';
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

/** What the bar under the pointer is. */
export const BarTip = ({ bar, point, width }: Props) => (
  <div
    className={classes.tip}
    style={{ left: Math.max(0, Math.min(width - WIDTH, point.x + 12)), top: point.y + 16, width: WIDTH }}
  >
    <b className="mono wrap">{bar.attempt.stepId}</b>
    <div>
      <Status of={bar.doubt === null ? bar.attempt.status : 'in_doubt'} />{' '}
      <span className="dim">attempt {bar.attempt.attempt}</span>
    </div>
    <div>{bar.attempt.tool}</div>
    {bar.doubt === null ? <OfAttempt bar={bar} /> : <OfDoubt bar={bar} doubt={bar.doubt} />}
  </div>
);

const OfAttempt = ({ bar: { attempt, ordered, from, to } }: { readonly bar: Bar }) => (
  <>
    <div className="dim num">
      waited {durationWords(from - ordered)}, {attempt.endedAt === null ? 'under way for' : 'took'}{' '}
      {durationWords(to - from)}
    </div>
    <div className="dim wrap">{attempt.session ?? 'held by nobody that is known'}</div>
  </>
);

const OfDoubt = ({ bar: { from, to }, doubt }: { readonly bar: Bar; readonly doubt: NonNullable<Bar['doubt']> }) => (
  <>
    <div className="dim">{causeWords(doubt.cause)}</div>
    <div className="dim num">
      {doubt.endedAt === null ? 'open for' : `${verdictWords(doubt.verdict ?? 'unknown')}, after`}{' '}
      {durationWords(to - from)}
    </div>
  </>
);
