import type { RunDetail } from '@holdfast/api';
import { Link } from 'react-router';
import { useLive } from '../../api/live.js';
import { Json } from '../../parts/json.js';
import { Section } from '../../parts/layout.js';
import { Sentence } from '../../parts/sentence.js';
import { ClockTime } from '../../parts/times.js';
import { programName } from '../program.js';
import { Doubts } from './doubts.js';
import { Budgets } from './budgets.js';
import { Explanation } from './explanation.js';
import { Progress } from './progress.js';
import { Report } from './report.js';
import classes from '../run.module.css';

export const Overview = ({ run }: { readonly run: RunDetail }) => (
  <>
    <LastEvent />
    <div className={classes.columns}>
      <div className={classes.stack}>
        <Explanation runId={run.runId} />
        <Values run={run} />
      </div>
      <div className={classes.stack}>
        <Progress run={run} />
        <Doubts runId={run.runId} />
        <Budgets run={run} />
        {run.report !== null && <Report report={run.report} />}
        {run.children.length > 0 && <Children ids={run.children} />}
      </div>
    </div>
  </>
);

/** The newest thing that happened, as it happens. */
const LastEvent = () => {
  const { last } = useLive();
  if (last === null) return null;
  return (
    <div className={classes.lastEvent} data-last-event>
      <span className="dim">
        <ClockTime at={last.at} />
      </span>
      <span>
        <Sentence text={last.words} />
      </span>
    </div>
  );
};

const Values = ({ run }: { readonly run: RunDetail }) => (
  <>
    {run.output !== null && (
      <Section title="Output">
        <Json value={run.output} label="Output" />
      </Section>
    )}
    <Section title="Input">
      <Json value={run.input} label="Input" max={260} />
    </Section>
    <Section title={programName(run.program) ?? 'Program'} aside={<span className="dim">program</span>}>
      <Json value={run.program} label="Program" max={360} />
    </Section>
    <Section title="Tools" aside={<span className="dim">as they were when the run was accepted</span>}>
      <Json value={run.tools} label="Tools" max={260} />
    </Section>
  </>
);

const Children = ({ ids }: { readonly ids: readonly string[] }) => (
  <Section title="Runs that it began">
    <ul style={{ margin: 0, paddingLeft: 17 }}>
      {ids.map((id) => (
        <li key={id}>
          <Link to={`/runs/${encodeURIComponent(id)}`} className="mono wrap">
            {id}
          </Link>
        </li>
      ))}
    </ul>
  </Section>
);
