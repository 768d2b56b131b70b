import type { RunSummary } from '@holdfast/api';
import { countWords } from '../format/numbers.js';
import type { Column } from '../parts/data-table.js';
import { Labels } from '../parts/layout.js';
import { RunStatus } from '../parts/status.js';
import { Ago, Countdown, Lasting } from '../parts/times.js';
import { toneColor } from '../parts/tone.js';
import classes from './runs.module.css';

const Steps = ({ stepsOpen, stepsSucceeded, stepsFailed }: RunSummary) => (
  <span className="num">
    {countWords(stepsSucceeded)}
    {stepsFailed > 0 && <span style={{ color: toneColor('red') }}> · {countWords(stepsFailed)} failed</span>}
    {stepsOpen > 0 && <span className="dim"> · {countWords(stepsOpen)} open</span>}
  </span>
);

/** What needs somebody, or else what it waits for. */
const Needs = ({ doubtsOpen, questionsOpen, waitingFor }: RunSummary) => (
  <span className={classes.needs} title={waitingFor ?? undefined}>
    {doubtsOpen > 0 && <b style={{ color: toneColor('amber') }}>{countWords(doubtsOpen)} in doubt</b>}
    {questionsOpen > 0 && <b style={{ color: toneColor('violet') }}>{countWords(questionsOpen)} asked</b>}
    {waitingFor !== null && <span className="dim">{waitingFor}</span>}
  </span>
);

export const runColumns: readonly Column<RunSummary>[] = [
  {
    key: 'run',
    title: 'Run',
    track: 'minmax(210px, 2.6fr)',
    card: 'line',
    cell: ({ runId, labels }) => (
      <span className={classes.run}>
        <span className={`mono ${classes.runId}`}>{runId}</span>
        <Labels labels={labels} />
      </span>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    track: '136px',
    card: 'bare',
    cell: ({ status, reason }) => <RunStatus status={status} reason={reason} />,
  },
  { key: 'steps', title: 'Steps done', track: 'minmax(150px, 0.9fr)', cell: (run) => <Steps {...run} /> },
  {
    key: 'effects',
    title: 'Effects',
    track: '62px',
    end: true,
    cell: ({ effectsApplied }) => countWords(effectsApplied),
  },
  { key: 'needs', title: 'Waits for', track: 'minmax(120px, 1.5fr)', card: 'bare', cell: (run) => <Needs {...run} /> },
  { key: 'accepted', title: 'Accepted', track: '84px', cell: ({ acceptedAt }) => <Ago at={acceptedAt} /> },
  {
    key: 'time',
    title: 'Took · left',
    track: '92px',
    end: true,
    cell: ({ acceptedAt, endedAt, deadlineAt }) =>
      endedAt === null ? <Countdown at={deadlineAt} over="overdue" /> : <Lasting from={acceptedAt} to={endedAt} />,
  },
];
