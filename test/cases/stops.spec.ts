import { DEFAULTS } from '@holdfast/events';
import * as fc from 'fast-check';
import type { Work } from '../../apps/coordinator/src/lane/lane.types.js';
import { asked, LaneHarness } from '../support/lane-harness.js';
import { request } from '../support/messages.js';
import { ModelWorld } from '../support/model-world.js';
import { planOf, step } from '../support/plans.js';

const program = planOf(step('a', 'verifiable'), step('b', 'verifiable', { after: ['a'] }));
const submit = (): Work => asked(request('SubmitRun', { requestId: 'submit', runId: 'run-1', program, input: {} }));
const cancel = (requestId: string): Work => asked(request('CancelRun', { requestId, runId: 'run-1' }));

const ends = (lane: LaneHarness) =>
  lane.events().flatMap(({ event }) => (event.type === 'RunEnded' ? [event.data] : []));

/** Another coordinator takes the lane and reads the inputs on from where history stands. */
const takenOver = (lane: LaneHarness, owner: string): LaneHarness =>
  new LaneHarness({ owner, history: lane.history, clock: lane.clock }).seat();

describe('case 39: a stop that is pressed in the first moment', () => {
  it('reaches the run, whether it comes before it, with it or after it', () => {
    const trial = fc.record({
      stopFirst: fc.boolean(),
      gapMs: fc.constantFrom(0, 1, 5, 20, 50),
      isOneBatch: fc.boolean(),
      isTakenOver: fc.boolean(),
      isClaimed: fc.boolean(),
    });
    fc.assert(
      fc.property(trial, ({ stopFirst, gapMs, isOneBatch, isTakenOver, isClaimed }) => {
        const [first, second] = stopFirst ? [cancel('stop'), submit()] : [submit(), cancel('stop')];
        let lane = new LaneHarness().seat();
        if (isOneBatch) lane.arrive(first, second);
        else {
          lane.arrive(first);
          const sent = !stopFirst && isClaimed;
          if (sent) lane.claims('run-1/a/0');
          if (isTakenOver) lane = takenOver(lane, 'C2');
          if (sent && isTakenOver) lane.claims('run-1/a/0');
          lane.tick(gapMs).arrive(second);
          if (sent) lane.say('AttemptSucceeded');
          else if (!stopFirst) lane.closed('run-1/a/0');
        }
        lane.tick(5_000);
        const sent = !stopFirst && !isOneBatch && isClaimed;
        expect(ends(lane)).toMatchObject([{ reason: 'cancelled', report: { applied: sent ? 1 : 0 } }]);
        expect(lane.told.filter((name) => name.startsWith('StepScheduled b'))).toEqual([]);
        if (stopFirst || isOneBatch) expect(lane.commands).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('is kept for ten minutes for a run that does not come, and then says that there is none', () => {
    const lane = new LaneHarness()
      .seat()
      .arrive(cancel('stop'))
      .tick(DEFAULTS.cancelMemoryMs - 1);
    expect(lane.replies).toEqual(['stop: remembered']);
    lane.tick(1);
    expect(lane.replies).toEqual(['stop: remembered', 'stop: unknown_run']);
    expect(ends(lane.arrive(submit()))).toEqual([]);
  });
});

describe('case 40: a cancel and an end in the same instant', () => {
  const one = planOf(step('a', 'verifiable'));
  const fates = fc.constantFrom<Fate>('waits', 'lands', 'answer lost', 'taken over');
  type Fate = 'waits' | 'lands' | 'answer lost' | 'taken over';

  /** Two people and the outcome of the only step meet; what is written meanwhile may wait, or lose its answer. */
  const met = (order: readonly string[], fate: readonly Fate[]): ModelWorld => {
    const world = new ModelWorld();
    world.submit(one);
    world.claim(0, 0);
    world.readClaims();
    order.forEach((what, index) => {
      world.lane.holdsAppends = true;
      if (what === 'outcome') world.speak(0, 'succeeded');
      else world.ask('CancelRun');
      befalls(world, fate[index] ?? 'lands');
    });
    while (world.lane.pending.length > 0) world.lane.answer();
    world.lane.holdsAppends = false;
    world.tick(10_000);
    return world;
  };
  const befalls = (world: ModelWorld, fate: Fate): void => {
    if (fate === 'taken over') return world.replace();
    if (fate === 'answer lost' && world.lane.pending.length > 0) world.lane.answer('answer_lost');
    if (fate === 'lands') while (world.lane.pending.length > 0) world.lane.answer();
  };

  it('have one winner for every reader, and each who asked is told which', () => {
    const seen: string[] = [];
    const orders = fc.shuffledSubarray(['outcome', 'ann', 'bo'], { minLength: 3 });
    fc.assert(
      fc.property(orders, fc.array(fates, { minLength: 3, maxLength: 3 }), (order, fate) => {
        const { lane } = met(order, fate);
        const [end, ...more] = ends(lane);
        expect(more).toEqual([]);
        seen.push(end?.reason ?? 'none');
        const answers = [1, 2].map((nth) => lane.machine.lane.requests.get(`run-1/ask ${nth}`)?.reply);
        const words = answers
          .map((answer) => answer?.message ?? answer?.outcome ?? '')
          .toSorted((a, b) => a.localeCompare(b));
        if (end?.reason === 'succeeded') {
          expect(words).toEqual(Array.from({ length: 2 }, () => 'the run has ended already: succeeded'));
        } else {
          expect(end?.reason).toBe('cancelled');
          expect(words[0]).toBe('accepted');
          expect(words[1]).toMatch(/^the run (is being cancelled already|has ended already: cancelled)/);
        }
      }),
      { numRuns: 500 },
    );
    expect(new Set(seen)).toEqual(new Set(['cancelled', 'succeeded']));
  });
});
