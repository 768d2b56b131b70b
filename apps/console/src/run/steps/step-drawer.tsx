import { routes, type RunDetail, type StepView } from '@holdfast/api';
import { Button, Drawer } from '@mantine/core';
import { IconGitFork } from '@tabler/icons-react';
import { useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useMissing } from '../../api/use-me.js';
import { useAnswer } from '../../api/use-answer.js';
import { DoubtCard } from '../../doubts/doubt-card.js';
import { Json } from '../../parts/json.js';
import { Facts } from '../../parts/layout.js';
import { Answered } from '../../parts/states.js';
import { Status } from '../../parts/status.js';
import { Absolute, Lasting } from '../../parts/times.js';
import { ForkDialog } from '../header/fork-dialog.js';
import { StepAttempts } from './step-attempts.js';
import { StepEvents } from './step-events.js';
import classes from './steps.module.css';

type Props = { readonly run: RunDetail; readonly stepId: string | null; readonly onClose: () => void };

/** One step: what went in and out, each attempt, what was found about it. */
export const StepDrawer = ({ run, stepId, onClose }: Props) => (
  <Drawer
    opened={stepId !== null}
    onClose={onClose}
    position="right"
    size="min(640px, 100%)"
    title={<span className="mono wrap">{stepId}</span>}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {stepId !== null && <Body run={run} stepId={stepId} />}
  </Drawer>
);

const Body = ({ run, stepId }: { readonly run: RunDetail; readonly stepId: string }) => {
  const step = useAnswer(endpoints.step(run.runId, stepId));
  const doubts = useAnswer(endpoints.runDoubts(run.runId));
  const [fork, setFork] = useState(false);
  const why = useMissing()(routes.forkRun);
  const own = doubts.data?.items.filter((doubt) => doubt.stepId === stepId) ?? [];
  return (
    <Answered query={step} what="the step">
      {step.data && (
        <div className={classes.body}>
          <StepFacts step={step.data} />
          <Values step={step.data} />
          {own.length > 0 && <h2>Doubts</h2>}
          {own.map((doubt) => (
            <DoubtCard key={doubt.seq} doubt={doubt} />
          ))}
          <h2>Attempts</h2>
          <StepAttempts runId={run.runId} stepId={stepId} />
          <h2>What happened</h2>
          <StepEvents runId={run.runId} stepId={stepId} />
          {run.endedAt !== null && (
            <div>
              <Button
                variant="default"
                leftSection={<IconGitFork size={15} aria-hidden />}
                onClick={() => setFork(true)}
                disabled={why !== null}
                title={why ?? undefined}
              >
                Fork from this step
              </Button>
            </div>
          )}
          {fork && <ForkDialog run={run} from={stepId} onClose={() => setFork(false)} />}
        </div>
      )}
    </Answered>
  );
};

const StepFacts = ({ step }: { readonly step: StepView }) => (
  <Facts
    facts={[
      ['Status', <Status key="status" of={step.status} />],
      ['Tool', `${step.tool}, ${step.policy}`],
      ['Scheduled', <Absolute key="scheduled" at={step.scheduledAt} />],
      ['Took', <Lasting key="took" from={step.scheduledAt} to={step.endedAt} />],
      ['Attempts', `${step.attempts}, tries used: ${step.tries}`],
      step.failure !== null && ['Failure', `${step.failure.message} (${step.failure.code})`],
    ]}
  />
);

const Values = ({ step }: { readonly step: StepView }) => (
  <>
    <h2>Input</h2>
    {step.args === undefined ? (
      <p className="dim">It cannot be rebuilt out of the history any more.</p>
    ) : (
      <Json value={step.args} label="Input" max={260} />
    )}
    {step.result !== undefined && (
      <>
        <h2>Output</h2>
        <Json value={step.result} label="Output" max={260} />
      </>
    )}
  </>
);
