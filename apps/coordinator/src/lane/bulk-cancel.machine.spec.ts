import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { planOf, step } from '../../../../test/support/plans.js';

const one = planOf(step('a', 'verifiable'));
const shop = { team: 'shop', day: 'monday' };

/** A lane with so many runs of the shop that are under way. */
const shopOf = (count: number): LaneHarness => {
  const lane = new LaneHarness().seat();
  lane.proves = false;
  for (let index = 0; index < count; index += 1) lane.submit(one, { runId: `shop-${index}`, labels: shop });
  lane.proves = true;
  return lane;
};

const cancels = (lane: LaneHarness, more = {}) =>
  lane.ask('CancelRuns', { lane: 0, labels: { team: 'shop' }, reason: 'sold', ...more });
const cancelled = (lane: LaneHarness) =>
  lane.events().flatMap(({ event, subject }) => (event.type === 'CancelRequested' ? [subject] : []));
const replyTo = (lane: LaneHarness, requestId: string) =>
  lane.reactions.flatMap((reaction) =>
    reaction.kind === 'reply' && reaction.reply.requestId === requestId ? [reaction.reply] : [],
  );

describe('a cancel of many runs', () => {
  it('cancels all with all of its labels, and says how many', () => {
    const lane = shopOf(3).submit(one, { runId: 'bare' });
    lane.submit(one, { runId: 'office', labels: { team: 'office', day: 'monday' } });
    lane.submit(one, { runId: 'shop-1x', labels: { team: 'shop', day: 'tuesday' } });
    cancels(lane, { requestId: 'q', labels: shop });
    expect(cancelled(lane)).toEqual(['shop-0', 'shop-1', 'shop-2']);
    expect(replyTo(lane, 'q')).toMatchObject([{ runId: 'lane/0', outcome: 'accepted', details: { runs: 3 } }]);
    expect(lane.replies.filter((reply) => reply.startsWith('q'))).toHaveLength(1);
    expect(lane.told.filter((name) => name.startsWith('BulkCancel'))).toEqual([
      'BulkCancelRequested',
      'BulkCancelEnded',
    ]);
  });

  it('cancels some in each batch, all under the deadline of the request', () => {
    const lane = shopOf(150);
    lane.holdsAppends = true;
    cancels(lane, { withinMs: 4_000 });
    const sizes: number[] = [];
    while (lane.pending.length > 0) {
      lane.clock.forward(100);
      const before = cancelled(lane).length;
      lane.answer();
      sizes.push(cancelled(lane).length - before);
    }
    expect(sizes.filter((size) => size > 0)).toEqual([64, 64, 22]);
    const deadlines = lane
      .events()
      .flatMap(({ event }) => (event.type === 'CancelRequested' ? [event.data.deadlineAt] : []));
    expect(new Set(deadlines).size).toBe(1);
    const progress = lane
      .events()
      .flatMap(({ event }) =>
        event.type === 'BulkCancelAdvanced' || event.type === 'BulkCancelEnded' ? [event.data.cancelled] : [],
      );
    expect(progress).toEqual([64, 128, 150]);
  });

  it('leaves alone what is accepted after it, also while it goes on', () => {
    const lane = shopOf(70);
    lane.holdsAppends = true;
    cancels(lane);
    lane.submit(one, { runId: 'shop-later', labels: shop });
    while (lane.pending.length > 0) lane.answer();
    expect(cancelled(lane)).toHaveLength(70);
    expect(cancelled(lane)).not.toContain('shop-later');
  });

  it('is finished by whoever takes the lane over', () => {
    const former = shopOf(100);
    former.holdsAppends = true;
    cancels(former);
    former.answer();
    expect(cancelled(former)).toHaveLength(64);
    const next = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat();
    expect(cancelled(next)).toHaveLength(100);
    expect(next.machine.lane.shared.bulkCancels).toEqual({});
  });

  it('passes over runs that are cancelled or over already', () => {
    const lane = shopOf(3).cancel('shop-0').ask('KillRun', { runId: 'shop-1' });
    cancels(lane);
    expect(cancelled(lane)).toEqual(['shop-0', 'shop-2']);
  });

  it('that comes again is answered alike and does nothing', () => {
    const lane = shopOf(1);
    cancels(lane, { requestId: 'q' });
    lane.submit(one, { runId: 'shop-later', labels: shop });
    cancels(lane, { requestId: 'q' });
    expect(cancelled(lane)).toEqual(['shop-0']);
    expect(replyTo(lane, 'q')).toMatchObject([{ details: { runs: 1 } }, { details: { runs: 1 } }]);
  });

  it('tells the calls of each run to stop', () => {
    const lane = shopOf(2);
    cancels(lane, { mode: 'drain' });
    const aborts = lane.reactions.flatMap((reaction) => (reaction.kind === 'abort' ? [reaction] : []));
    expect(aborts).toMatchObject(['shop-0', 'shop-1'].map((runId) => ({ runId, mode: 'drain' })));
  });

  it('of a lane that is not there, or one too many, is refused', () => {
    const lane = shopOf(70);
    lane.ask('CancelRuns', { requestId: 'q', lane: 7, labels: shop });
    expect(lane.replies.at(-1)).toBe('q: wrong_lane');
    lane.holdsAppends = true;
    lane.submit(one, { runId: 'other' });
    const many = Array.from({ length: 17 }, (_, index) => `q${index}`);
    for (const requestId of many) cancels(lane, { requestId });
    while (lane.pending.length > 0) lane.answer();
    const refused = lane.replies.filter((reply) => reply.endsWith('too_many'));
    expect(refused).toEqual(['q16: too_many']);
    cancels(lane, { requestId: 'q16' });
    while (lane.pending.length > 0) lane.answer();
    expect(lane.replies.at(-1)).toBe('q16: accepted');
  });
});
