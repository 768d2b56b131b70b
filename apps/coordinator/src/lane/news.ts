import { unreachable } from '@holdfast/events';
import type { FirstClaim } from '../run/env.js';
import { isOver } from '../run/silence-times.js';
import { envOf } from './env-of.js';
import { afterChange } from './commit.js';
import type { Facts, LaneInput, LaneMachine, LaneOutput } from './lane.types.js';

export type News = Extract<
  LaneInput,
  { type: 'ClaimsKnown' | 'SessionLost' | 'SessionBack' | 'RequestsRead' | 'Reacted' | 'Tick' }
>;

/** What has become known besides the inputs in order: claims, sessions, acknowledged reactions, time. */
export const hear = (machine: LaneMachine, input: News, facts: Facts): readonly LaneOutput[] => {
  switch (input.type) {
    case 'ClaimsKnown':
      for (const [id, first] of input.claims) claimKnown(machine, id, first);
      return [];
    case 'SessionLost':
      machine.lost.set(input.session, input.loss);
      for (const runId of machine.live.keys()) machine.dirty.add(runId);
      return [];
    case 'SessionBack':
      machine.lost.delete(input.session);
      return [];
    case 'RequestsRead':
      machine.requestsReadAt = Math.max(machine.requestsReadAt, input.at);
      for (const runId of machine.live.keys()) if (isSilent(machine, runId, facts)) machine.dirty.add(runId);
      return [];
    case 'Reacted':
      machine.reactedSeq = Math.max(machine.reactedSeq, input.through);
      machine.unreacted = machine.unreacted.filter(({ seq }) => seq > machine.reactedSeq);
      return [];
    case 'Tick':
      return tick(machine, facts);
    default:
      return unreachable(input);
  }
};

/** Whether nothing can follow for a run from such news. */
export const isQuiet = ({ type }: News): boolean => type === 'SessionBack' || type === 'Reacted';

const isSilent = (machine: LaneMachine, runId: string, facts: Facts): boolean => {
  const run = machine.lane.runs.get(runId)?.run;
  if (run === undefined || run.status === 'ended') return false;
  return Object.values(run.escalations).some((escalation) => isOver(escalation, envOf(machine, facts)));
};

const claimKnown = (machine: LaneMachine, id: string, first: FirstClaim): void => {
  const runId = id.slice(0, id.indexOf('/'));
  const known = machine.live.get(runId);
  if (!known?.watched.has(id)) return;
  machine.firsts.set(id, first);
  machine.dirty.add(runId);
  if (first.kind !== 'claimed') return;
  const due = Math.min(known.due, first.deadline + machine.setting.settings.graceMs);
  machine.live.set(runId, { ...known, due });
};

/** Time has passed: runs with something due are looked at again, and what must be closed now is closed. */
const tick = (machine: LaneMachine, facts: Facts): readonly LaneOutput[] => {
  const due = [...machine.live].filter(([, { due }]) => due <= facts.now).map(([runId]) => runId);
  for (const runId of due) machine.dirty.add(runId);
  return afterChange(machine, due, facts, facts.now);
};
