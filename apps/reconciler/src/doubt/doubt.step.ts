import { unreachable } from '@holdfast/events';
import { answered, appended, verdictsTaken } from './doubt.answers.js';
import { due } from './doubt.due.js';
import { left, seen } from './doubt.levels.js';
import { RULES, type Rules } from './doubt.rules.js';
import type { Input, ReconcilerState, Stepped } from './doubt.state.js';

/** The reconciler: what follows from an input. Does no I/O, reads no clock, changes nothing in place. */
export const step = (state: ReconcilerState, input: Input, rules: Rules = RULES): Stepped => {
  const noted = note(state, input, rules);
  const next = due(noted.state, input.now, rules);
  return { state: next.state, outputs: [...noted.outputs, ...next.outputs] };
};

const note = (state: ReconcilerState, input: Input, rules: Rules): Stepped => {
  switch (input.type) {
    case 'LaneSeen':
    case 'RunSeen':
      return seen(state, input, rules);
    case 'LaneLeft':
      return left(state, input.lane);
    case 'Ticked':
      return verdictsTaken(state, input);
    case 'Answered':
      return answered(state, input, rules);
    case 'VerdictAppended':
      return appended(state, input, rules);
    case 'ClockCompared':
      return { state: { ...state, isClockProven: input.isProven }, outputs: [] };
    default:
      return unreachable(input);
  }
};
