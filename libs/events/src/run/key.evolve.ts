import { Defect } from '../defect.js';
import type { RunEventData } from './run.events.js';
import type { KeyOfRun, LiveRun } from './run.state.js';

export const applyKeyGranted = (run: LiveRun): LiveRun => {
  const { key, policy } = mustHaveKey(run);
  return { ...run, concurrency: { key, policy, status: 'granted' } };
};

export const applyKeyAwaited = (run: LiveRun, data: RunEventData<'KeyAwaited'>): LiveRun => {
  const { key, policy } = mustHaveKey(run);
  const { holder, place, since } = data;
  return { ...run, concurrency: { key, policy, status: 'waiting', holder, place, since } };
};

export const applyKeyDenied = (run: LiveRun, { code, by, detail }: RunEventData<'KeyDenied'>): LiveRun => {
  const { key, policy } = mustHaveKey(run);
  return { ...run, concurrency: { key, policy, status: 'denied', code, by, detail } };
};

/** A run that is obsolete is stopped as by a cancel, and ends under another name. */
export const applySuperseded = (run: LiveRun, { detail, deadlineAt }: RunEventData<'RunSuperseded'>): LiveRun => ({
  ...run,
  status: run.status === 'closing' ? 'closing' : 'cancelling',
  cancel: { requestId: '', principal: null, reason: detail, deadlineAt, mode: 'abort', as: 'superseded' },
  paused: null,
});

const mustHaveKey = ({ runId, concurrency }: LiveRun): KeyOfRun => {
  if (concurrency === null) throw new Defect(`run ${runId} shares no key`);
  return concurrency;
};
