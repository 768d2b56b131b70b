import type { RunDetail } from '@holdfast/api';
import { useState } from 'react';
import { changes } from '../../api/endpoints.js';
import { ChangeDialog } from './change-dialog.js';
import { ReasonField } from './reason-field.js';
import { WhatHappens } from './what-happens.js';

const said = {
  pause: {
    title: 'Pause this run?',
    confirm: 'Pause it',
    text: 'Nothing new starts until it is resumed. What nobody has begun is closed without using up a try; calls under way may finish. Its deadline goes on.',
    about: ['moving'],
  },
  resume: {
    title: 'Resume this run?',
    confirm: 'Resume it',
    text: 'It goes on where it stood.',
    about: ['resume', 'repeat'],
  },
  kill: {
    title: 'Kill this run?',
    confirm: 'Kill it now',
    text: 'It is over at once and nothing is waited for. Calls under way are told to stop and may still take effect; the report names each of them, and is amended by what turns out. This cannot be taken back. A cancel waits for them, up to a deadline.',
    about: ['cancel', 'effects'],
  },
} as const;

export const ReasonDialog = ({
  run,
  action,
  onClose,
}: {
  readonly run: RunDetail;
  readonly action: keyof typeof said;
  readonly onClose: () => void;
}) => {
  const [reason, setReason] = useState('');
  const { title, confirm, text, about } = said[action];
  return (
    <ChangeDialog
      title={title}
      confirm={confirm}
      danger={action === 'kill'}
      onClose={onClose}
      change={() => ({ path: changes[action](run.runId), body: reason.trim() === '' ? {} : { reason: reason.trim() } })}
    >
      <WhatHappens runId={run.runId} about={about}>
        {text}
      </WhatHappens>
      <ReasonField reason={reason} change={setReason} focus />
    </ChangeDialog>
  );
};
