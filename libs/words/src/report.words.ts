import type { EffectsReport, RunEventData } from '@holdfast/events';
import { count } from './phrases.js';

/** What a run did to the world, in one sentence. */
export const describeReport = (report: EffectsReport): string => {
  const parts = [
    `${count(report.stepsSucceeded, 'step')} succeeded`,
    `${report.stepsFailed} failed`,
    `${count(report.applied, 'effect')} applied`,
    ...list(report.absent, report.totals.absent, 'found absent'),
    ...list(report.inDoubt, report.totals.inDoubt, 'STILL IN DOUBT'),
    ...list(report.running, report.totals.running, 'still running'),
    ...list(report.conflicts, report.totals.conflicts, 'IN CONFLICT'),
    ...undone(report),
  ];
  return `${parts.join(', ')}.`;
};

const undone = ({ compensation }: EffectsReport): readonly string[] => {
  if (compensation === undefined) return [];
  const { undone: done, heldTotal } = compensation;
  return [`${done} undone`, ...(heldTotal === 0 ? [] : [`${heldTotal} STILL HELD`])];
};

const list = (entries: EffectsReport['absent'], total: number, word: string): readonly string[] => {
  if (total === 0) return [];
  const named = entries.slice(0, 5).map(({ stepId, attempt }) => `${stepId}/${attempt}`);
  return [`${total} ${word} (${named.join(', ')}${total > named.length ? ', …' : ''})`];
};

/** The reason of an end, in words. */
export const reasonWords = (reason: RunEventData<'RunEnded'>['reason']): string => reason.replaceAll('_', ' ');
