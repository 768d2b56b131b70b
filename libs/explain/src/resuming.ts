import { hasEffect, isRecovering, type LiveRun } from '@holdfast/events';
import { isCall, leafAt, ready } from '@holdfast/programs';
import { some } from '@holdfast/words';
import type { Told } from './told.js';

/** What a resume would do at this moment. */
export const resuming = ({ live, end }: Told): readonly string[] => {
  const { runId } = live;
  if (end !== null) {
    if (end.reason === 'succeeded') return ['It is over and has succeeded: there is nothing to resume.'];
    return [
      'It is over and cannot be resumed.',
      `A new run can take over what it has done and do the rest: holdfast fork ${runId} --run NEW (--plan shows it first).`,
    ];
  }
  if (live.cancel !== null) return ['It is being cancelled: it cannot be resumed any more.'];
  if (live.paused === null) {
    const held = isRecovering(live) ? ' It goes on by itself once what is in doubt is settled.' : '';
    return [`It is not paused: a resume changes nothing.${held}`];
  }
  return paused(live);
};

const NEXT_MAX = 50;

const paused = (run: LiveRun): readonly string[] => {
  const again = run.steps.filter(({ attempts, doubt }) => attempts.length === 0 && doubt === null);
  const next = ready(run.program, run.input, run.progress, NEXT_MAX);
  const names = [...again, ...next].map(({ stepId }) => stepId);
  const held = isRecovering(run);
  const waits = held ? names.filter((stepId) => acts(run, stepId)) : [];
  const go = names.filter((stepId) => !waits.includes(stepId));
  const keyed = run.steps.filter(({ policy, doubt }) => policy === 'keyed' && doubt !== null);
  return [
    'It goes on where it stood.',
    ...(go.length === 0 ? [] : [`Begins: ${some(go)}.`]),
    ...(keyed.length === 0
      ? []
      : [`Settled by calling again under the same key: ${some(keyed.map(({ stepId }) => stepId))}.`]),
    ...(waits.length === 0 ? [] : [`Waits until what is in doubt is settled: ${some(waits)}.`]),
    ...(names.length + keyed.length === 0 ? ['Nothing is ready to begin; what is open is waited for.'] : []),
  ];
};

const acts = (run: LiveRun, stepId: string): boolean => {
  const leaf = leafAt(run.program, stepId);
  const policy = isCall(leaf) ? run.tools[leaf.tool]?.policy : undefined;
  return policy === undefined || hasEffect(policy);
};
