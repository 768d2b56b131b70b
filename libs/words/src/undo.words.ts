import { count, tail, time, type WordsFor } from './phrases.js';

export const undoWords: WordsFor<'CompensationStarted' | 'CompensationEnded'> = {
  CompensationStarted: ({ undoRunId, effects, deadlineAt }) =>
    `Run ${undoRunId} undoes ${count(effects, 'effect')}, the last one first, by ${time(deadlineAt)}.`,
  CompensationEnded: ({ outcome, detail, undone, held, heldTotal }) => {
    const names = held.slice(0, 5).map(({ stepId }) => stepId);
    const left = heldTotal === 0 ? '' : `, ${heldTotal} STILL HELD (${names.join(', ')}${heldTotal > 5 ? ', …' : ''})`;
    const how = heldTotal === 0 ? '' : ` (${outcome.replaceAll('_', ' ')}${tail(detail)})`;
    return `${count(undone, 'effect')} undone${left}${how}.`;
  },
};
