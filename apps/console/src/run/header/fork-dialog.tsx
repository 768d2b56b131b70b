import type { RunDetail } from '@holdfast/api';
import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { changes, endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { Answered } from '../../parts/states.js';
import { toggled } from '../../runs/filters.js';
import { ChangeDialog } from './change-dialog.js';
import { ForkPlanList } from './fork-plan.js';
import { forkName, missingLeave } from './forking.js';

type Props = { readonly run: RunDetail; readonly from: string | null; readonly onClose: () => void };

/** A new run out of an old one, from a step on. What would be repeated is shown, and nothing is repeated in silence. */
export const ForkDialog = ({ run, from: given, onClose }: Props) => {
  const navigate = useNavigate();
  const [from, setFrom] = useState(given ?? '');
  const [runId, setRunId] = useState(() => forkName(run.runId));
  const [repeat, setRepeat] = useState<readonly string[]>([]);
  const [asked] = useDebouncedValue(from.trim(), 300);
  const plan = useAnswer(endpoints.fork(run.runId, asked));
  const missing = plan.data === undefined ? [] : missingLeave(plan.data, repeat);
  const body = {
    runId: runId.trim(),
    ...(asked === '' ? {} : { from: asked }),
    ...(repeat.length > 0 ? { repeat: [...repeat] } : {}),
  };
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
        description="The first step that is done again, with all that waits for it. Empty: only what has not succeeded."
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
      <Answered query={plan} what="what it would do">
        {plan.data && (
          <ForkPlanList plan={plan.data} repeat={repeat} toggle={(name) => setRepeat(toggled(repeat, name))} />
        )}
      </Answered>
    </ChangeDialog>
  );
};
