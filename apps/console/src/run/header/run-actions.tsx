import type { RunDetail } from '@holdfast/api';
import { Button } from '@mantine/core';
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
import { CancelDialog } from './cancel-dialog.js';
import { ForkDialog } from './fork-dialog.js';
import { ReasonDialog } from './reason-dialog.js';
import { SteerDialog } from './steer-dialog.js';
import classes from '../run.module.css';

type Action = 'pause' | 'resume' | 'steer' | 'cancel' | 'kill' | 'fork';
type Shown = { readonly action: Action; readonly name: string; readonly Icon: TablerIcon; readonly when: boolean };

const shown = ({ status, paused }: RunDetail): readonly Shown[] => {
  const over = status === 'ended' || status === 'closing';
  const cancelling = status === 'cancelling';
  return [
    { action: 'resume', name: 'Resume', Icon: IconPlayerPlay, when: !over && !cancelling && paused !== null },
    { action: 'pause', name: 'Pause', Icon: IconPlayerPause, when: !over && !cancelling && paused === null },
    { action: 'steer', name: 'Steer', Icon: IconAdjustments, when: !over && !cancelling },
    { action: 'fork', name: 'Fork', Icon: IconGitFork, when: over },
    { action: 'cancel', name: 'Cancel', Icon: IconBan, when: !over && !cancelling },
    { action: 'kill', name: 'Kill', Icon: IconSkull, when: !over },
  ];
};

/** What may be asked of the run now. Each opens a dialog that says first what will happen. */
export const RunActions = ({ run }: { readonly run: RunDetail }) => {
  const [open, setOpen] = useState<Action | null>(null);
  const close = (): void => setOpen(null);
  return (
    <div className={classes.actions} role="group" aria-label="Actions">
      {shown(run)
        .filter(({ when }) => when)
        .map(({ action, name, Icon }) => (
          <Button
            key={action}
            variant="default"
            leftSection={<Icon size={15} aria-hidden />}
            onClick={() => setOpen(action)}
            c={action === 'kill' || action === 'cancel' ? 'var(--hf-red)' : undefined}
          >
            {name}
          </Button>
        ))}
      {(open === 'pause' || open === 'resume' || open === 'kill') && (
        <ReasonDialog run={run} action={open} onClose={close} />
      )}
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'steer' && <SteerDialog run={run} onClose={close} />}
      {open === 'fork' && <ForkDialog run={run} from={null} onClose={close} />}
    </div>
  );
};
