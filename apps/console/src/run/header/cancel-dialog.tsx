import type { RunDetail } from '@holdfast/api';
import { Checkbox, NumberInput, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { changes } from '../../api/endpoints.js';
import { ChangeDialog } from './change-dialog.js';
import { ReasonField } from './reason-field.js';
import { WhatHappens } from './what-happens.js';

export const CancelDialog = ({ run, onClose }: { readonly run: RunDetail; readonly onClose: () => void }) => {
  const [within, setWithin] = useState<number | string>(30);
  const [mode, setMode] = useState('abort');
  const [compensate, setCompensate] = useState(false);
  const [reason, setReason] = useState('');
  const body = {
    mode,
    ...(typeof within === 'number' ? { withinMs: Math.round(within * 1_000) } : {}),
    ...(compensate ? { compensate } : {}),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  };
  return (
    <ChangeDialog
      title="Cancel this run?"
      confirm="Cancel the run"
      danger
      onClose={onClose}
      change={() => ({ path: changes.cancel(run.runId), body })}
    >
      <WhatHappens runId={run.runId} about={['cancel', 'effects']}>
        Nothing is scheduled any more, and the run is over within the time below. What is in doubt goes on being found
        out.
      </WhatHappens>
      <NumberInput
        label="Over within"
        suffix=" s"
        min={0}
        max={86_400}
        value={within}
        onChange={setWithin}
        data-autofocus
      />
      <Radio.Group label="Calls under way" value={mode} onChange={setMode}>
        <Stack gap={6} mt={6}>
          <Radio size="xs" value="abort" label="are told to stop at once" />
          <Radio size="xs" value="drain" label="may finish by themselves, until the time is over" />
        </Stack>
      </Radio.Group>
      <Checkbox
        label="Undo its effects afterwards"
        description="The last one first, as far as its tools say how; never around a doubt."
        checked={compensate}
        onChange={(event) => setCompensate(event.currentTarget.checked)}
      />
      <ReasonField reason={reason} change={setReason} />
    </ChangeDialog>
  );
};
