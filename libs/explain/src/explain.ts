import { DEFAULTS, type HistoryRecord } from '@holdfast/events';
import { cancelling } from './cancelling.js';
import { cost } from './cost.js';
import { effects } from './effects.js';
import type { Explanation } from './explanation.js';
import { headlineOf } from './headline.js';
import { moving } from './moving.js';
import { repeating } from './repeating.js';
import { resuming } from './resuming.js';
import type { ExplainOptions } from './setting.js';
import { toldBy } from './told.js';

/**
 * Explains a run out of its records, oldest first; records of its lane that are about no run are passed over. Throws a
 * `Defect` for a history that does not begin with the acceptance of a run, or contradicts itself.
 */
export const explainRun = (
  records: readonly HistoryRecord[],
  now: number,
  options: ExplainOptions = {},
): Explanation => {
  const { graceMs, skewMs, cancelMs } = DEFAULTS;
  const setting = { graceMs, skewMs, cancelMs, ...options, now };
  const told = toldBy(records);
  return {
    runId: told.accepted.runId,
    at: now,
    seq: told.last.lane.seq,
    headline: headlineOf(told, setting),
    parts: [
      {
        about: 'moving',
        title: told.end === null ? 'What it waits for' : 'Why it is over',
        lines: moving(told, setting),
      },
      { about: 'effects', title: 'What it did to the world', lines: effects(told) },
      { about: 'cost', title: 'What it cost', lines: cost(told, setting) },
      { about: 'cancel', title: 'If it is cancelled now', lines: cancelling(told, setting) },
      { about: 'resume', title: 'If it is resumed now', lines: resuming(told) },
      { about: 'repeat', title: 'If it is submitted anew, from zero', lines: repeating(told) },
    ],
  };
};
