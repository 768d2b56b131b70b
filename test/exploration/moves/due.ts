import type { ReconcilerState } from '../../../apps/reconciler/src/doubt/doubt.state.js';
import { HORIZON } from '../world/kit.js';
import type { World } from '../world/parts.js';

/** The next moment at which time alone may change something for somebody, or null. */
export const nextDue = (world: World): number | null => {
  const now = world.now.value;
  let next = HORIZON;
  const at = (time: number): void => {
    if (time > now && time < next) next = time;
  };
  for (const { value } of world.coordinators) {
    if (value.machine.phase === 'leading') for (const { due } of value.machine.live.values()) at(due);
  }
  for (const { value } of world.executors) {
    for (const { order, deadline } of value.state.attempts.values()) {
      at(order.startBy);
      if (deadline !== null) at(deadline);
    }
  }
  questionsDue(world.reconciler.value.state, at);
  return next === HORIZON ? null : next;
};

const questionsDue = ({ lanes, settings }: ReconcilerState, at: (time: number) => void): void => {
  for (const questions of Object.values(lanes)) {
    for (const { phase, view } of Object.values(questions)) {
      if (phase.name === 'waiting') {
        at(Math.max(phase.askAt, view.askFrom));
        if (phase.early) at(view.settledAt + settings.skewMs + 1);
      }
      if (phase.name === 'asking') at(phase.askedAt + settings.questionMs);
      if (phase.name === 'telling' && phase.repeatAt !== null) at(phase.repeatAt);
    }
  }
};
