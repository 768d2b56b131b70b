import { hasEffect, type ReplayPolicy } from '@holdfast/events';
import * as fc from 'fast-check';
import { moves, plans } from '../../../test/support/model-moves.js';
import { ModelWorld } from '../../../test/support/model-world.js';
import { explained } from './explanation.js';
import { explainRun } from './explain.js';
import { ledgerOf } from './ledger.js';
import { toldBy } from './told.js';

const recordsOf = ({ lane }: ModelWorld) => lane.events().filter(({ subject }) => subject === 'run-1');

/** What can be told at this moment is whole: an answer to each question, none of them empty. */
const tells = (world: ModelWorld): void => {
  const { parts, headline } = explainRun(recordsOf(world), world.now);
  expect(parts.map(({ about }) => about)).toEqual(explained);
  expect(
    [headline, ...parts.flatMap(({ lines }) => lines)].filter((line) => !/\S.*[.!)a-zA-Z0-9|]$/.test(line)),
  ).toEqual([]);
  expect(parts.filter(({ lines }) => lines.length === 0)).toEqual([]);
};

describe('whatever happens to executors and coordinators', () => {
  it('every run can be explained after every move, and its ledger says what its report says', () => {
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 40 }), (plan, schedule) => {
        const world = new ModelWorld();
        world.submit(plan);
        for (const { move } of schedule) {
          move(world);
          tells(world);
          const told = toldBy(recordsOf(world));
          const report = told.amended.at(-1)?.report ?? told.end?.report ?? told.live.report;
          const applied = told.ledger.filter(({ policy, fate }) => hasEffect(policy) && fate === 'applied');
          expect(applied.length).toBe(report.applied);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('the ledger of a run that is over names the effects that are there, each once', () => {
    fc.assert(
      fc.property(plans, fc.array(moves, { maxLength: 40 }), (plan, schedule) => {
        const world = new ModelWorld();
        world.submit(plan);
        for (const { move } of schedule) move(world);
        world.settleDown();
        const made = [...world.effects.times.keys()].filter((key) => {
          const policy = world.effects.policies.get(key);
          return policy !== undefined && hasEffect(policy as ReplayPolicy);
        });
        const ledger = ledgerOf(recordsOf(world)).filter(({ policy }) => hasEffect(policy));
        const there = ledger
          .filter(({ fate }) => fate === 'applied' || fate === 'in_doubt')
          .map(({ stepId }) => stepId);
        const steps = made.map((key) => key.slice(key.indexOf('/') + 1));
        expect(new Set(there).size).toBe(there.length);
        expect(steps.filter((stepId) => !there.includes(stepId))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
