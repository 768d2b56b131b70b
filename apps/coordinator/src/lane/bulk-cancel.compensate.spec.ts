import { requestKind } from '@holdfast/contracts';
import { LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { undoableTools } from '../../../../test/support/tools.js';

const trip = planOf(step('hotel', 'reserve'), step('flight', 'reserve', { after: ['hotel'] }));

/** A run with one effect that can be undone, and everything is cancelled by its label. */
const cancelledBy = (submitted: object, cancelling: object): LaneHarness => {
  const lane = new LaneHarness();
  lane.catalogue = undoableTools();
  const tools = new Set(lane.catalogue.keys());
  lane.queues = { default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools }] }) };
  lane.seat().submit(trip, { labels: { team: 'shop' }, ...submitted });
  lane.claims('run-1/hotel/0').say('AttemptSucceeded', { step: 'hotel' });
  return lane.ask('CancelRuns', { lane: 0, labels: { team: 'shop' }, ...cancelling }).closed('run-1/flight/0');
};

describe('a cancel of many runs that says what becomes of their effects', () => {
  it.each([
    ['has them undone', {}, { compensate: true }, true],
    ['leaves them', { compensate: 'on_cancel' }, { compensate: false }, false],
    ['says nothing, and what was said at submission counts', { compensate: 'on_cancel' }, {}, true],
  ])('%s', (_, submitted, cancelling, undoes) => {
    const { told } = cancelledBy(submitted, cancelling);
    expect([told.includes('RunEnded'), told.includes('CompensationStarted')]).toEqual([true, undoes]);
  });

  it('is carried by the request', () => {
    const data = { requestId: 'q', lane: 0, labels: { a: 'b' }, compensate: false };
    expect(requestKind.types.CancelRuns.parse(data)).toEqual(data);
  });
});
