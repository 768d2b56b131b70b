import type { HistoryEvent } from '@holdfast/events';
import { agentWords } from './agent.words.js';
import { budgetWords } from './budget.words.js';
import { doubtWords } from './doubt.words.js';
import { escalationWords } from './escalation.words.js';
import { childWords } from './child.words.js';
import { keyWords } from './key.words.js';
import { laneWords } from './lane.words.js';
import type { WordsFor } from './phrases.js';
import { runWords } from './run.words.js';
import { steeringWords } from './steering.words.js';
import { undoWords } from './undo.words.js';
import { stepWords } from './step.words.js';
import { tenantWords } from './tenant.words.js';

export { describeReport, reasonWords } from './report.words.js';

const words: WordsFor<HistoryEvent['type']> = {
  ...agentWords,
  ...laneWords,
  ...runWords,
  ...stepWords,
  ...steeringWords,
  ...doubtWords,
  ...escalationWords,
  ...keyWords,
  ...childWords,
  ...undoWords,
  ...budgetWords,
  ...tenantWords,
};

/** One event of history as a sentence for people. The only place that has words for events. */
export const describeEvent = (event: HistoryEvent): string =>
  (words[event.type] as (data: HistoryEvent['data']) => string)(event.data);
