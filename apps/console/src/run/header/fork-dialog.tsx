import type { ForkPlan, RunDetail } from '@holdfast/api';
import { Checkbox, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { changes, endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { plural } from '../../format/numbers.js';
import { Answered } from '../../parts/states.js';
import { toggled } from '../../runs/filters.js';
import { ChangeDialog } from './change-dialog.js';
import { forkName, missingLeave } from './forking.js';
import classes from '../run.module.css';

type Props = { readonly run: RunDetail; readonly from: string | null; readonly onClose: () => void };

/** A new run out of an old one, from a step on. What would be repeated is shown, and nothing is repeated in silence. */
export const ForkDialog = ({ run, from: given, onClose }: Props) => {
  const navigate = useNavigate();
  const [from, setFrom] = useState(given ?? '');
  const [runId, setRunId] = useState(() => forkName(run.runId));
  const [repeat, setRepeat] = useState<readonly string[]>([]);
  const [asked] = useDebouncedValue(from.trim(), 300);
  const plan = useAnswer(endpoints.fork(run.runId, asked), { enabled: asked !== '' });
  const missing = plan.data === undefined ? [] : missingLeave(plan.data, repeat);
  const body = { runId: runId.trim(), from: asked, ...(repeat.length > 0 ? { repeat: [...repeat] } : {}) };
  return (
    <ChangeDialog
      title="Fork this run"
      confirm="Begin the new run"
      onClose={onClose}
      done={() => void navigate(`/runs/${encodeURIComponent(body.runId)}`)}
      change={() => ({ path: changes.fork(run.runId), body })}
      disabled={plan.data === undefined || plan.data.refused !== null || missing.length > 0 || body.runId === ''}
    >
      <TextInput
        label="From step"
        description="The first step that is done again. What had succeeded before it is taken over."
        placeholder="document[17].file"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        classNames={{ input: 'mono' }}
        data-autofocus
      />
      <TextInput
        label="Id of the new run"
        value={runId}
        onChange={(event) => setRunId(event.currentTarget.value)}
        classNames={{ input: 'mono' }}
      />
      {asked !== '' && (
        <Answered query={plan} what="what it would do">
          {plan.data && <Plan plan={plan.data} repeat={repeat} toggle={(step) => setRepeat(toggled(repeat, step))} />}
        </Answered>
      )}
    </ChangeDialog>
  );
};

type PlanProps = {
  readonly plan: ForkPlan;
  readonly repeat: readonly string[];
  readonly toggle: (step: string) => void;
};
const Plan = ({ plan, repeat, toggle }: PlanProps) => {
  if (plan.refused !== null) return <p role="alert">This cannot be forked: {plan.refused}</p>;
  return (
    <div className={classes.says}>
      <p>
        {plural(plan.keptTotal, 'result')} taken over, {plural(plan.againTotal, 'step')} done again.
      </p>
      {plan.again.length > 0 && (
        <ul className={classes.again} aria-label="Steps that are done again">
          {plan.again.map(({ stepId, tool, policy, repeat: how, why }) => (
            <li key={stepId}>
              <span className="mono">{stepId}</span> <span className="dim">{`${tool}, ${policy}`}</span>
              <br />
              {why}
              {how === 'ask' && (
                <Checkbox
                  mt={5}
                  label="May make its effect again"
                  aria-label={`${stepId} may make its effect again`}
                  checked={repeat.includes(stepId)}
                  onChange={() => toggle(stepId)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
