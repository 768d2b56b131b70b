import type { DoubtEntry } from '@holdfast/api';
import { Link } from 'react-router';
import { durationWords } from '../format/time.js';
import { countWords } from '../format/numbers.js';
import { Sentence } from '../parts/sentence.js';
import { Status } from '../parts/status.js';
import { Ago, Countdown } from '../parts/times.js';
import { useNow } from '../parts/use-now.js';
import { causeWords, holdsWords, phaseOf, type Phase } from './phases.js';
import classes from './doubts.module.css';

type Props = { readonly doubt: DoubtEntry; readonly withRun?: boolean; readonly brief?: boolean };

/** A doubt with its evidence, how long something can still land, and when a person is asked. */
export const DoubtCard = ({ doubt, withRun = false, brief = false }: Props) => {
  const now = useNow(doubt.endedAt === null ? 'quick' : 'slow');
  const phase = phaseOf(doubt, now);
  const run = `/runs/${encodeURIComponent(doubt.runId)}`;
  return (
    <article
      className={classes.card}
      data-phase={phase.phase}
      data-doubt={doubt.stepId}
      data-cause={doubt.cause}
      aria-label={`Doubt about ${doubt.stepId}`}
    >
      <div className={classes.head}>
        <Link to={`${run}/steps?step=${encodeURIComponent(doubt.stepId)}`} className="mono wrap">
          {doubt.stepId}
        </Link>
        <span className="dim">{brief ? causeWords(doubt.cause) : `attempt ${doubt.attempt} · ${doubt.tool}`}</span>
        <span className={classes.verdict}>
          {doubt.endedAt === null ? <Status of="in_doubt" /> : <Status of={doubt.verdict ?? 'unknown'} />}
        </span>
      </div>
      {withRun && (
        <p>
          in run{' '}
          <Link to={run} className="mono wrap">
            {doubt.runId}
          </Link>
        </p>
      )}
      {!brief && (
        <p className="dim">
          Opened <Ago at={doubt.openedAt} />: {causeWords(doubt.cause)}; {holdsWords(doubt.holds)}.
        </p>
      )}
      {phase.phase !== 'settled' && <Way phase={phase} />}
      <p>
        {phase.words}{' '}
        {phase.until !== null && (
          <b>
            <Countdown at={phase.until} />
          </b>
        )}
        {doubt.endedAt !== null && <span className="dim"> after {durationWords(doubt.endedAt - doubt.openedAt)}</span>}
      </p>
      <Evidence doubt={doubt} />
    </article>
  );
};

/** The way from its opening over the settle window to a person. */
const Way = ({ phase: { part, settled } }: { readonly phase: Phase }) => (
  <div className={classes.way} aria-hidden>
    <span className={classes.landing} style={{ width: `${settled * 100}%` }} />
    <span className={classes.passed} style={{ width: `${part * 100}%` }} />
    <span className={classes.mark} style={{ left: `${settled * 100}%` }} />
  </div>
);

const Evidence = ({ doubt: { evidence, probes } }: Props) => (
  <p className={classes.evidence} data-evidence>
    <span className="dim">Evidence </span>
    <Sentence text={evidence ?? 'none yet'} />
    {probes > 0 && <span className="dim"> · asked {countWords(probes)} times in vain</span>}
  </p>
);
