import type { RunDetail } from '@holdfast/api';
import { NumberInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { changes } from '../../api/endpoints.js';
import { ChangeDialog } from './change-dialog.js';
import { WhatHappens } from './what-happens.js';
import { windowsOf } from '../program.js';
import { ReasonField } from './reason-field.js';
import { limitsFrom, withWindow } from './steering.js';

const MINUTE_MS = 60_000;
type Windows = Readonly<Record<string, number>>;

/** Other bounds for a run under way: its deadline, how many items at a time, what it may use. */
export const SteerDialog = ({ run, onClose }: { readonly run: RunDetail; readonly onClose: () => void }) => {
  const [minutes, setMinutes] = useState<number | string>('');
  const [windows, setWindows] = useState<Windows>({});
  const [limits, setLimits] = useState('');
  const [reason, setReason] = useState('');
  const read = limitsFrom(limits);
  const bounds = {
    ...(typeof minutes === 'number' ? { deadlineMs: Math.round(minutes * MINUTE_MS) } : {}),
    ...(Object.keys(windows).length > 0 ? { windows } : {}),
    ...(read.limits === null ? {} : { limits: read.limits }),
  };
  const body = { ...bounds, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
  return (
    <ChangeDialog
      title="Steer this run"
      confirm="Set the new bounds"
      onClose={onClose}
      change={() => ({ path: changes.steer(run.runId), body })}
      disabled={Object.keys(bounds).length === 0 || read.problem !== null}
    >
      <WhatHappens runId={run.runId} about={['moving', 'cost']}>
        The run goes on within other bounds. What is left empty stays as it is; what is refused changes nothing.
      </WhatHappens>
      <NumberInput
        label="New deadline, from now on"
        suffix=" min"
        min={1}
        value={minutes}
        onChange={setMinutes}
        data-autofocus
      />
      <WindowFields program={run.program} windows={windows} change={setWindows} />
      <Textarea
        label="Budget, as JSON"
        placeholder='{ "effects": 200, "money": { "amount": "2.50", "currency": "EUR" } }'
        description="What is not named stays."
        autosize
        minRows={2}
        value={limits}
        error={read.problem}
        onChange={(event) => setLimits(event.currentTarget.value)}
        classNames={{ input: 'mono' }}
      />
      <ReasonField reason={reason} change={setReason} />
    </ChangeDialog>
  );
};

type WindowsProps = {
  readonly program: unknown;
  readonly windows: Windows;
  readonly change: (windows: Windows) => void;
};
const WindowFields = ({ program, windows, change }: WindowsProps) =>
  windowsOf(program).map(({ name, window }) => (
    <NumberInput
      key={name}
      label={`Items at a time in ${name}`}
      placeholder={`${window} by the plan`}
      min={1}
      max={1_024}
      value={windows[name] ?? ''}
      onChange={(value) => change(withWindow(windows, name, value))}
    />
  ));
