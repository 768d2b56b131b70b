import { conflictPolicies, entriesIn, type Concurrency, type RunState } from '@holdfast/events';
import * as fc from 'fast-check';
import { planOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import type { Rules } from '../run/rules.js';

const LANES = 3;
const KEYS = ['k', 'm'] as const;
const ids = Array.from({ length: 8 }, (_, index) => `run-${index}`);
const plan = planOf(step('a', 'verifiable'));

type Move = { readonly name: string; readonly move: (lanes: SeveralLanes) => void };
const named = (name: string, move: Move['move']): Move & { toString(): string } => ({
  name,
  move,
  toString: () => name,
});
const run = fc.constantFrom(...ids);
const lane = fc.nat(LANES - 1);
const place = fc.nat(20);

const submits = fc
  .record({
    runId: run,
    key: fc.constantFrom(...KEYS),
    policy: fc.constantFrom(...conflictPolicies),
    generation: fc.option(fc.nat(3), { nil: undefined }),
  })
  .map(({ runId, key, policy, generation }) =>
    named(`submit ${runId} ${key} ${policy} ${generation}`, (lanes) => {
      const concurrency: Concurrency = { key, policy };
      lanes.submit(plan, { runId, concurrency, ...(generation === undefined ? {} : { generation }) });
    }),
  );

/** The run is over before anybody reads that it wants the key. */
const hasty = (lanes: SeveralLanes, runId: string): void => {
  lanes.submit(plan, { runId, concurrency: { key: 'k', policy: 'queue' } }).cancel(runId);
};

const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: submits },
  { weight: 2, arbitrary: run.map((id) => named(`hasty ${id}`, (lanes) => hasty(lanes, id))) },
  { weight: 8, arbitrary: lane.map((at) => named(`tell ${at}`, (lanes) => lanes.tell(at))) },
  { weight: 8, arbitrary: place.map((at) => named(`deliver ${at}`, (lanes) => lanes.deliver(index(lanes, at)))) },
  { weight: 3, arbitrary: place.map((at) => named(`repeat ${at}`, (lanes) => lanes.deliver(index(lanes, at), true))) },
  { weight: 3, arbitrary: lane.map((at) => named(`crash ${at}`, (lanes) => lanes.crash(at))) },
  { weight: 4, arbitrary: run.map((id) => named(`work ${id}`, (lanes) => lanes.work(id))) },
  { weight: 2, arbitrary: run.map((id) => named(`cancel ${id}`, (lanes) => lanes.cancel(id))) },
  {
    weight: 1,
    arbitrary: place.map((at) => named(`last word first ${at}`, (lanes) => lanes.deliver(lanes.transit.length - 1))),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(10, 1_100, 6_000).map((ms) => named(`tick ${ms}`, (lanes) => lanes.tick(ms))),
  },
);
const index = ({ transit }: SeveralLanes, at: number): number => (transit.length === 0 ? 0 : at % transit.length);

const hasKey = (state: RunState): boolean =>
  state.status !== 'ended' && state.end === null && state.concurrency?.status === 'granted';

/** At most one run of a key is at work, and none begins before it has its key. */
const check = (lanes: SeveralLanes): void => {
  expect(lanes.stopped).toBeNull();
  for (const key of KEYS) {
    const holders = lanes.runs.filter(
      (state) => hasKey(state) && 'concurrency' in state && state.concurrency?.key === key,
    );
    expect(holders.map(({ runId }) => runId).slice(1)).toEqual([]);
  }
  for (const state of lanes.runs) {
    if (state.status === 'ended' || hasKey(state) || state.end !== null) continue;
    expect(state.cancel !== null || state.steps.length === 0).toBe(true);
  }
};

/** Whoever has a key works until it is over, and the others get their turn. */
const finish = (lanes: SeveralLanes): void => {
  for (let round = 0; round < 3 * ids.length; round += 1) {
    lanes.calm(() => check(lanes));
    for (const id of ids) lanes.work(id);
    lanes.tick(6_000);
    check(lanes);
  }
  lanes.calm();
};

const play = (schedule: readonly Move[], rules: Partial<Rules>): SeveralLanes => {
  const lanes = new SeveralLanes(LANES, rules);
  for (const { move } of schedule) {
    move(lanes);
    check(lanes);
  }
  return lanes;
};

const holds = (rules: Partial<Rules> = {}) =>
  fc.property(fc.array(moves, { maxLength: 80 }), (schedule) => {
    const lanes = play(schedule, rules);
    finish(lanes);
    expect(lanes.runs.filter(({ status }) => status !== 'ended').map(({ runId }) => runId)).toEqual([]);
    const keys = lanes.places.flatMap(({ harness }) =>
      entriesIn(harness.machine.lane.shared.keys).map(([, known]) => known),
    );
    expect(keys.filter(({ holder, queue }) => holder !== null || queue.length > 0)).toEqual([]);
  });

describe('keys that runs on several lanes share', () => {
  it('are with one run at a time, nobody waits for ever, and each is free in the end', () => {
    fc.assert(holds(), { numRuns: 100 });
  });

  it.each(['keyBeforeSteps', 'returnGrantedKey', 'reactAgain'] as const)('are not, without the rule %s', (rule) =>
    expect(fc.check(holds({ [rule]: false }), { numRuns: 300, endOnFailure: true }).failed).toBe(true),
  );
});
