import type { FakeHistory } from '../../support/fake-history.js';
import { planOf, step } from '../../support/plans.js';
import { SeveralLanes } from '../../support/several-lanes.js';
import { undoableTools } from '../../support/tools.js';

/** A cancelled run has its effects undone: of one run all of them, of another one but one. */
export const tellUndo = (): FakeHistory => {
  const lanes = new SeveralLanes(1, {}, undoableTools());
  const trip = planOf(step('car', 'reserve'), step('room', 'reserve', { after: ['car'] }), {
    ...step('seat', 'reserve'),
    after: ['room'],
  });
  for (const runId of ['all', 'some']) {
    lanes.submit(trip, { runId, compensate: 'on_cancel' }).calm().work(runId, 'car 7').work(runId, 'room 9');
    lanes.cancel(runId);
    lanes.at(runId).closed(`${runId}/seat/0`);
    lanes.calm().work(lanes.undoOf(runId)).calm();
  }
  const some = lanes.undoOf('some');
  lanes.work(lanes.undoOf('all')).calm().cancel(some);
  lanes.at(some).closed(`${some}/undo0[1].call/0`);
  lanes.calm();
  const [place] = lanes.places;
  if (place === undefined) throw new Error('there is no lane');
  return place.history;
};
