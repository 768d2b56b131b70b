import type { ForkPlan } from '@holdfast/api';
import { Checkbox } from '@mantine/core';
import { plural } from '../../format/numbers.js';
import { spoken } from '../../parts/tone.js';
import { alike, type Alike } from './forking.js';
import classes from '../run.module.css';

type Props = {
  readonly plan: ForkPlan;
  readonly repeat: readonly string[];
  readonly toggle: (name: string) => void;
};

/** What a fork takes over and does again; what would be made a second time has to be allowed by name. */
export const ForkPlanList = ({ plan, repeat, toggle }: Props) => {
  if (plan.refused !== null) return <p role="alert">This cannot be forked: {plan.refused}</p>;
  return (
    <div className={classes.says}>
      <p>
        {plural(plan.keptTotal, 'result')} taken over, {plural(plan.againTotal, 'step')} done again.
      </p>
      {plan.again.length > 0 && (
        <ul className={classes.again} aria-label="Steps that are done again">
          {alike(plan).map((group) => (
            <li key={`${group.name} ${group.steps[0]?.repeat}`}>
              <Steps group={group} repeat={repeat} toggle={toggle} />
            </li>
          ))}
        </ul>
      )}
      {plan.again.length < plan.againTotal && <p className="dim">Those that need leave are all named first.</p>}
    </div>
  );
};

type StepsProps = Omit<Props, 'plan'> & { readonly group: Alike };
const Steps = ({ group: { name, steps }, repeat, toggle }: StepsProps) => {
  const [first] = steps;
  if (first === undefined) return null;
  return (
    <>
      <span className="mono wrap">{name}</span>{' '}
      <span className="dim">
        {steps.length === 1 ? '' : `${plural(steps.length, 'step')}, `}
        {`${first.tool}, ${first.policy}`}
        {first.effect === 'none' ? '' : `, its effect is ${spoken(first.effect)}`}
      </span>
      <p>{first.why}</p>
      {steps.length > 1 && (
        <details>
          <summary>which</summary>
          <span className="mono wrap">{steps.map(({ stepId }) => stepId).join(', ')}</span>
        </details>
      )}
      {first.repeat === 'ask' && (
        <Checkbox
          mt={5}
          label="May make its effect again"
          aria-label={`${name} may make its effect again`}
          checked={repeat.includes(name)}
          onChange={() => toggle(name)}
        />
      )}
    </>
  );
};
