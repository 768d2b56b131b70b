import type { PlanNode } from '@holdfast/programs';
import { forkSubmission } from '@holdfast/sdk';
import * as fc from 'fast-check';
import { request } from '../../../../test/support/messages.js';
import { forEach, planOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';

/** Steps that wait for some of those before them; some of them are done for each of a few items. */
const nodes = (prefix: string, deep: boolean): fc.Arbitrary<PlanNode[]> =>
  fc
    .array(
      fc.record({ waits: fc.array(fc.nat(4), { maxLength: 2 }), items: fc.nat(deep ? 3 : 0), window: fc.nat(2) }),
      {
        minLength: 1,
        maxLength: deep ? 5 : 2,
      },
    )
    .chain((shapes) =>
      fc.tuple(...shapes.map((shape, at) => nodeOf(prefix, at, shape))).map((all) => all as PlanNode[]),
    );

type Shape = { readonly waits: readonly number[]; readonly items: number; readonly window: number };

const nodeOf = (prefix: string, at: number, { waits, items, window }: Shape): fc.Arbitrary<PlanNode> => {
  const after = [...new Set(waits.filter((other) => other < at).map((other) => `${prefix}${other}`))];
  const id = `${prefix}${at}`;
  if (items === 0) return fc.constant(step(id, 'verifiable', { after }));
  const list = Array.from({ length: items }, (_, item) => item);
  return nodes('x', false).map((inner) => ({ ...forEach(id, list, ...inner), after, window: window + 1 }) as PlanNode);
};

const playUntilOver = (lanes: SeveralLanes, runId: string, fails: (stepId: string) => boolean): void => {
  for (let round = 0; round < 100 && lanes.live(runId) !== undefined; round += 1) {
    const failing = lanes.live(runId)?.steps.some(({ stepId }) => fails(stepId)) === true;
    if (failing) lanes.say(runId, 'AttemptFailed', { retry: 'never', effect: 'none' });
    else lanes.work(runId);
    lanes.calm();
  }
};
const recordsOf = (lanes: SeveralLanes, runId: string) =>
  lanes
    .at(runId)
    .events()
    .filter(({ subject }) => subject === runId);
const doneIn = (lanes: SeveralLanes, runId: string): readonly string[] =>
  recordsOf(lanes, runId).flatMap(({ event }) => (event.type === 'StepSucceeded' ? [event.data.stepId] : []));

describe('a run that fails anywhere, and its forks', () => {
  it('do every step once together, and the last one succeeds', () =>
    fc.assert(
      fc.property(nodes('s', true), fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }), (plan, failures) => {
        const whole = new SeveralLanes(1).submit(planOf(...plan), { runId: 'whole' }).calm();
        playUntilOver(whole, 'whole', () => false);
        const all = [...doneIn(whole, 'whole')].sort();
        const lanes = new SeveralLanes(1).submit(planOf(...plan), { runId: 'fork0' }).calm();
        const done: string[] = [];
        for (const [nth, failure] of [...failures, null].entries()) {
          const bad = failure === null ? undefined : all[failure % all.length];
          const runId = `fork${nth}`;
          playUntilOver(lanes, runId, (stepId) => stepId === bad && !done.includes(stepId));
          done.push(...doneIn(lanes, runId));
          const records = recordsOf(lanes, runId);
          if (records.some(({ event }) => event.type === 'RunEnded' && event.data.reason === 'succeeded')) break;
          const next = forkSubmission(runId, records, { runId: `fork${nth + 1}` });
          lanes.ask(request('SubmitRun', { ...next, requestId: `fork ${nth + 1}` })).calm();
        }
        expect(done.sort()).toEqual(all);
      }),
      { numRuns: 50 },
    ));
});
