import type { RunDetail } from '@holdfast/api';
import { amountWords, budgetName, share } from '../../format/numbers.js';
import { Section } from '../../parts/layout.js';
import { Meter } from '../../parts/meter.js';
import type { Tone } from '../../parts/tone.js';
import classes from '../run.module.css';

type Gauge = RunDetail['budgets'][number];

/** Nine tenths is where the run itself warns. */
const WARNED = 0.9;
const toneFor = (part: number): Tone => (part >= 1 ? 'red' : part >= WARNED ? 'amber' : 'blue');

/** What the run may use, and what of it is used or reserved. */
export const Budgets = ({ run }: { readonly run: RunDetail }) => (
  <Section title="Budgets" aside={<span className="dim">used or reserved</span>}>
    {run.budgets.length === 0 ? (
      <p className="dim">Nothing has been used yet.</p>
    ) : (
      <div className={classes.gauges}>
        {run.budgets.map((gauge) => (
          <GaugeLine key={gauge.kind} gauge={gauge} />
        ))}
      </div>
    )}
  </Section>
);

const GaugeLine = ({ gauge: { kind, used, limit, left } }: { readonly gauge: Gauge }) => {
  const part = share(used, limit);
  const words =
    limit === null
      ? `${amountWords(used)} used, without a limit`
      : `${amountWords(used)} of ${amountWords(limit)}${left === null ? '' : `, ${amountWords(left)} left`}`;
  return (
    <div className={classes.gauge}>
      <div className={classes.gaugeWords}>
        <span>{budgetName(kind)}</span>
        <span>{words}</span>
      </div>
      {part !== null && <Meter part={part} label={budgetName(kind)} words={words} tone={toneFor(part)} />}
    </div>
  );
};
