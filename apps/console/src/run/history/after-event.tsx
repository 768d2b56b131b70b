import { Switch } from '@mantine/core';
import { useMemo, useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { Json } from '../../parts/json.js';
import { Section } from '../../parts/layout.js';
import { Answered, Loading, ProblemNote } from '../../parts/states.js';
import { Changed } from './changed.js';
import { moving } from './difference.js';
import classes from '../run.module.css';

type Props = { readonly runId: string; readonly seq: number; readonly previous: number | undefined };

/** What the event has changed, and the state after it; what never changes only where it is asked for. */
export const AfterEvent = ({ runId, seq, previous }: Props) => {
  const [whole, setWhole] = useState(false);
  const state = useAnswer(endpoints.state(runId, seq), { keep: true });
  const earlier = useAnswer(endpoints.state(runId, previous ?? seq), { keep: true, enabled: previous !== undefined });
  const shown = useMemo(() => (whole ? state.data?.state : moving(state.data?.state)), [whole, state.data]);
  const known = state.data !== undefined && earlier.data !== undefined && earlier.data.seq === previous;
  return (
    <div className={classes.stack} style={{ marginTop: 14 }}>
      {previous !== undefined && (
        <Section title="What it changed">
          {known ? (
            <Changed before={earlier.data.state} after={state.data.state} />
          ) : (
            <Loading what="the difference" lines={2} />
          )}
        </Section>
      )}
      <Section
        title="State of the run after it"
        aside={
          <Switch
            size="xs"
            label="with program, input and tools"
            checked={whole}
            onChange={(event) => setWhole(event.currentTarget.checked)}
          />
        }
      >
        {state.error ? (
          <ProblemNote error={state.error} retry={() => void state.refetch()} />
        ) : (
          <Answered query={state} what="the state">
            <Json value={shown} label="State" max={620} />
          </Answered>
        )}
      </Section>
    </div>
  );
};
