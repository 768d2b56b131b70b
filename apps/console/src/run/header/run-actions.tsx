import { routes, type Route, type RunDetail } from '@holdfast/api';
import { Button, VisuallyHidden } from '@mantine/core';
import {
  IconAdjustments,
  IconBan,
  IconGitFork,
  IconPlayerPause,
  IconPlayerPlay,
  IconSkull,
  type TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useMissing } from '../../api/use-me.js';
import { CancelDialog } from './cancel-dialog.js';
import { ForkDialog } from './fork-dialog.js';
import { ReasonDialog } from './reason-dialog.js';
import { SteerDialog } from './steer-dialog.js';
import classes from '../run.module.css';

type Action = 'pause' | 'resume' | 'steer' | 'cancel' | 'kill' | 'fork';
type Shown = {
  readonly action: Action;
  readonly name: string;
  readonly Icon: TablerIcon;
  readonly when: boolean;
  readonly route: Pick<Route, 'role'>;
};

const shown = ({ status, paused }: RunDetail): readonly Shown[] => {
  const over = status === 'ended' || status === 'closing';
  const cancelling = status === 'cancelling';
  return [
    {
      action: 'resume',
      name: 'Resume',
      Icon: IconPlayerPlay,
      when: !over && !cancelling && paused !== null,
      route: routes.resumeRun,
    },
    {
      action: 'pause',
      name: 'Pause',
      Icon: IconPlayerPause,
      when: !over && !cancelling && paused === null,
      route: routes.pauseRun,
    },
    { action: 'steer', name: 'Steer', Icon: IconAdjustments, when: !over && !cancelling, route: routes.steerRun },
    { action: 'fork', name: 'Fork', Icon: IconGitFork, when: over, route: routes.forkRun },
    { action: 'cancel', name: 'Cancel', Icon: IconBan, when: !over && !cancelling, route: routes.cancelRun },
    { action: 'kill', name: 'Kill', Icon: IconSkull, when: !over, route: routes.killRun },
  ];
};

/** What may be asked of the run now. Each opens a dialog that says first what will happen. */
export const RunActions = ({ run }: { readonly run: RunDetail }) => {
  const [open, setOpen] = useState<Action | null>(null);
  const close = (): void => setOpen(null);
  const missing = useMissing();
  const all = shown(run).filter(({ when }) => when);
  const [why] = all.flatMap(({ route }) => missing(route) ?? []);
  return (
    <div className={classes.actions} role="group" aria-label="Actions">
      {all.map(({ action, name, Icon, route }) => (
        <Button
          key={action}
          variant="default"
          leftSection={<Icon size={15} aria-hidden />}
          onClick={() => setOpen(action)}
          disabled={missing(route) !== null}
          title={missing(route) ?? undefined}
          c={missing(route) === null && (action === 'kill' || action === 'cancel') ? 'var(--hf-red)' : undefined}
        >
          {name}
        </Button>
      ))}
      {why !== undefined && <VisuallyHidden>{why}</VisuallyHidden>}
      {(open === 'pause' || open === 'resume' || open === 'kill') && (
        <ReasonDialog run={run} action={open} onClose={close} />
      )}
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'steer' && <SteerDialog run={run} onClose={close} />}
      {open === 'fork' && <ForkDialog run={run} from={null} onClose={close} />}
    </div>
  );
};
