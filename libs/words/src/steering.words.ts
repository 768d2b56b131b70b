import { amounts } from './budget.words.js';
import type { RunEventData } from '@holdfast/events';
import { tail, time, type WordsFor } from './phrases.js';

export const steeringWords: WordsFor<'KillRequested' | 'RunPaused' | 'RunResumed' | 'RunSteered'> = {
  KillRequested: ({ principal, reason }) => `${who(principal)} killed the run${tail(reason)}. It is over at once.`,
  RunPaused: ({ principal, reason }) =>
    `${who(principal)} paused the run${tail(reason)}. Nothing new starts until it is resumed.`,
  RunResumed: ({ principal, reason }) => `${who(principal)} resumed the run${tail(reason)}.`,
  RunSteered: (data) => `${who(data.principal)} steered the run${tail(data.reason)}. ${changes(data).join('; ')}.`,
};

const who = (principal: string | null): string => principal ?? 'Somebody';

const changes = ({ deadlineAt, windows, limits }: RunEventData<'RunSteered'>): readonly string[] => [
  ...(deadlineAt === undefined ? [] : [`It is to end by ${time(deadlineAt)}`]),
  ...Object.entries(windows ?? {}).map(([name, window]) => `${name} has a window of ${window}`),
  ...(limits === undefined ? [] : [`it may use ${amounts(limits.amounts)}`]),
];
