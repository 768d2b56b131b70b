import { DEFAULTS, type RunState } from '@holdfast/events';
import type { Json, Plan } from '@holdfast/programs';
import * as fc from 'fast-check';
import { forEach, planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes, type Message } from '../../../../test/support/several-lanes.js';
import type { Rules } from '../run/rules.js';

const LANES = 3;
const WITHIN_MS = 20_000;
const call = step('x', 'verifiable');
const nested = (plan: Plan): Json => plan as unknown as Json;

/** A tree of runs: children one after the other and at the same time, with children of their own. */
const tree = planOf(
  step('first', 'pure'),
  forEach('fan', [1, 2, 3], runOf('a', nested(planOf(call, runOf('b', nested(planOf(call))))))),
  runOf('left', nested(planOf(call)), { waitMs: 50 }),
  runOf('free', nested(planOf(call)), { detached: true }),
);

type Move = { readonly name: string; readonly move: (lanes: SeveralLanes) => void };
const named = (name: string, move: Move['move']): Move & { toString(): string } => ({
  name,
  move,
  toString: () => name,
});
const lane = fc.nat(LANES - 1);
const place = fc.nat(30);
const at = ({ length }: { readonly length: number }, index: number): number => (length === 0 ? 0 : index % length);
const runAt = (lanes: SeveralLanes, index: number): string => lanes.runs[at(lanes.runs, index)]?.runId ?? 'p';

const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: lane.map((which) => named(`tell ${which}`, (lanes) => lanes.tell(which))) },
  { weight: 8, arbitrary: place.map((i) => named(`deliver ${i}`, (lanes) => lanes.deliver(at(lanes.transit, i)))) },
  {
    weight: 2,
    arbitrary: place.map((i) => named(`repeat ${i}`, (lanes) => lanes.deliver(at(lanes.transit, i), true))),
  },
  { weight: 2, arbitrary: lane.map((which) => named(`crash ${which}`, (lanes) => lanes.crash(which))) },
  { weight: 6, arbitrary: place.map((i) => named(`work ${i}`, (lanes) => lanes.work(runAt(lanes, i)))) },
  { weight: 1, arbitrary: place.map((i) => named(`cancel ${i}`, (lanes) => lanes.cancel(runAt(lanes, i), WITHIN_MS))) },
  { weight: 2, arbitrary: fc.constantFrom(10, 60, 500).map((ms) => named(`tick ${ms}`, (lanes) => lanes.tick(ms))) },
);

const isActive = (run: RunState): boolean => run.status !== 'ended' && run.end === null;
/** The detached child and what it begins may go on. */
const mayOutlive = ({ runId }: RunState): boolean => runId.startsWith('p~free');

const active = (lanes: SeveralLanes): readonly string[] =>
  lanes.runs.filter((run) => isActive(run) && !mayOutlive(run)).map(({ runId }) => runId);

/** Submissions on their way, taken off it. */
const births = ({ transit }: SeveralLanes): Message[] => {
  const late = transit.filter(({ request }) => request.type === 'SubmitRun');
  for (const message of late) transit.splice(transit.indexOf(message), 1);
  return late;
};

/** What lanes have asked is read within the bound, but for submissions: they come when all is over. */
const holds = (rules: Partial<Rules> = {}) =>
  fc.property(fc.array(moves, { maxLength: 60 }), fc.array(moves, { maxLength: 25 }), (before, after) => {
    const lanes = new SeveralLanes(LANES, rules).submit(tree, { runId: 'p' });
    for (const { move } of before) move(lanes);
    lanes.cancel('p', WITHIN_MS);
    const cancelled = lanes.clock.now;
    const late = births(lanes);
    for (const { move } of after) move(lanes);
    lanes.calm();
    expect(lanes.stopped).toBeNull();
    lanes.tick(Math.max(0, cancelled + WITHIN_MS - lanes.clock.now)).calm();
    expect(active(lanes)).toEqual([]);
    // What was still on its way is read when nobody remembers the cancel any more.
    lanes.tick(DEFAULTS.cancelMemoryMs).calm();
    lanes.transit.push(...late);
    lanes.calm();
    expect(active(lanes)).toEqual([]);
    const began = new Set(lanes.runs.map(({ runId }) => runId));
    expect(lanes.runs.length).toBe(began.size);
  });

const twoEnds = (lanes: SeveralLanes): readonly string[] =>
  lanes.places.flatMap(({ harness }) => {
    const ended = harness.events().flatMap(({ event, subject }) => (event.type === 'RunEnded' ? [subject ?? ''] : []));
    return ended.filter((runId, index) => ended.indexOf(runId) !== index);
  });

describe('a tree of runs over several lanes', () => {
  it('has no active run after the deadline of its cancel, and none begins later, but detached ones', () => {
    fc.assert(holds(), { numRuns: 80 });
  });

  it('comes to its end when nobody stops it, whatever is read late, twice or by another owner', () => {
    fc.assert(
      fc.property(
        fc.array(
          moves.filter(({ name }) => !name.startsWith('cancel')),
          { maxLength: 60 },
        ),
        (schedule) => {
          const lanes = new SeveralLanes(LANES).submit(tree, { runId: 'p' });
          for (const { move } of schedule) move(lanes);
          for (let round = 0; round < 8; round += 1) {
            lanes.calm();
            for (const { runId } of lanes.runs) lanes.work(runId);
            lanes.tick(100);
          }
          lanes.calm();
          expect(lanes.stopped).toBeNull();
          expect(
            lanes.runs.map((run) => [run.runId, run.end?.reason]).filter(([, end]) => end !== 'succeeded'),
          ).toEqual([]);
          expect(lanes.runs.length).toBe(9);
          expect(twoEnds(lanes)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['stopChildren', 'noLateBirth'] as const)('does not, without the rule %s', (rule) => {
    expect(fc.check(holds({ [rule]: false }), { numRuns: 300, endOnFailure: true }).failed).toBe(true);
  });
});
