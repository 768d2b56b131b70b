import type { RunDetail } from '@holdfast/api';
import { countWords } from '../../format/numbers.js';
import { Section } from '../../parts/layout.js';
import { plannedSteps } from '../program.js';
import { segments } from './segments.js';
import classes from '../run.module.css';

/** How far the steps are, of all where the plan says how many there will be. */
export const Progress = ({ run }: { readonly run: RunDetail }) => {
  const planned = plannedSteps(run.program, run.input);
  const { parts, whole } = segments(run, planned);
  const words = parts.map(({ name, count }) => `${countWords(count)} ${name}`).join(', ');
  return (
    <Section
      title="Progress"
      aside={
        <span className="dim num">
          {planned === null ? 'how many there will be shows on the way' : `${countWords(whole)} steps in all`}
        </span>
      }
    >
      <div className={classes.progress} role="img" aria-label={`Steps: ${words}`}>
        {parts.map(({ name, count, color }) => (
          <span key={name} style={{ width: `${(count / Math.max(1, whole)) * 100}%`, background: color }} />
        ))}
      </div>
      <div className={classes.legend}>
        {parts.map(({ name, count, color }) => (
          <span key={name}>
            <i style={{ background: color }} aria-hidden />
            {countWords(count)} {name}
          </span>
        ))}
      </div>
    </Section>
  );
};
