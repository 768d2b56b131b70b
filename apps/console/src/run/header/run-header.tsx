import type { RunDetail } from '@holdfast/api';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { CopyText } from '../../parts/json.js';
import { Labels } from '../../parts/layout.js';
import { Sentence } from '../../parts/sentence.js';
import { RunStatus } from '../../parts/status.js';
import { Absolute, Ago, Countdown, Lasting } from '../../parts/times.js';
import { RunActions } from './run-actions.js';
import classes from '../run.module.css';

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

export const RunHeader = ({ run }: { readonly run: RunDetail }) => (
  <header className={classes.header}>
    <Link to="/runs" className={classes.crumb}>
      All runs
    </Link>
    <div className={classes.headTop}>
      <h1 className={`mono ${classes.runId}`}>
        {run.runId}
        <CopyText text={run.runId} what="run id" />
      </h1>
      <RunStatus status={run.status} reason={run.reason} strong />
      <span className={classes.grow} />
      <RunActions run={run} />
    </div>
    <Why run={run} />
    <dl className={classes.facts}>
      {run.endedAt === null ? (
        <Fact name="Deadline">
          <strong>
            <Countdown at={run.deadlineAt} over="passed" />
          </strong>
        </Fact>
      ) : (
        <Fact name="Took">
          <Lasting from={run.acceptedAt} to={run.endedAt} />
        </Fact>
      )}
      <Fact name="Accepted">
        <Ago at={run.acceptedAt} /> {run.principal !== null && <>by {run.principal}</>}
      </Fact>
      {run.endedAt !== null && (
        <Fact name="Ended">
          <Absolute at={run.endedAt} />
        </Fact>
      )}
      <Fact name="Lane">
        {run.lane} · event {run.seq}
      </Fact>
      {run.tenant !== null && <Fact name="Tenant">{run.tenant}</Fact>}
      {run.parentRunId !== null && (
        <Fact name="Begun by">
          <Link to={`/runs/${encodeURIComponent(run.parentRunId)}`} className="mono">
            {run.parentRunId}
          </Link>
        </Fact>
      )}
      {Object.keys(run.labels).length > 0 && (
        <Fact name="Labels">
          <Labels labels={run.labels} />
        </Fact>
      )}
    </dl>
  </header>
);

/** Why it is as it is: its end, a cancel under way, a pause, or what it waits for. */
const Why = ({ run }: { readonly run: RunDetail }) => {
  if (run.detail !== null)
    return (
      <p className={classes.reason}>
        <Sentence text={run.detail} />
      </p>
    );
  if (run.cancel !== null) {
    return (
      <p className={classes.reason}>
        Cancelled by {run.cancel.by ?? 'somebody without a name'}: {run.cancel.reason || 'no reason given'}. Over in{' '}
        <Countdown at={run.cancel.deadlineAt} over="a moment" /> at the latest.
      </p>
    );
  }
  if (run.paused !== null) {
    return (
      <p className={classes.reason}>
        Paused by {run.paused.by ?? 'somebody without a name'} <Ago at={run.paused.since} />
        {run.paused.reason === '' ? '' : `: ${run.paused.reason}`}
      </p>
    );
  }
  return run.waitingFor === null ? null : (
    <p className={classes.reason}>
      <Sentence text={run.waitingFor} />
    </p>
  );
};
