import { requestKind } from '@holdfast/contracts';
import { allRuleNames, withoutRules } from './rules.js';
import { scenarioOf } from './scenario/generate.js';
import { FATES, FAULTS, SPOILS } from './scenario/scenario.js';
import { MUTANTS, SCRIPTED_ONLY } from './mutants.js';
import { catchMutant } from './search.js';
import { shrink } from './shrink.js';
import { simulate } from './simulate.js';

/** Few in which everything strikes; `npm run simulate` plays thousands. */
const FIRST_SEED = 91;
const LAST_SEED = 130;
/** No run here has a tenant, and none is steered. */
const NEVER_ASKED = ['AskGrant', 'GiveGrant', 'ReturnGrant', 'SetTenantBudget', 'SteerRun'];

describe('all services in virtual time', () => {
  it('keep every invariant, whatever happens to them', async () => {
    const broken: string[] = [];
    const struck = new Set<string>();
    const asked = new Set<string>();
    let made = 0;
    for (let seed = FIRST_SEED; seed <= LAST_SEED; seed += 1) {
      const { violation, ...played } = await simulate(scenarioOf(seed));
      if (violation !== null) broken.push(`seed ${seed}: ${violation.invariant}: ${violation.detail}`);
      made += played.effects;
      for (const kind of played.struck.keys()) struck.add(kind);
      for (const type of played.requestTypes) asked.add(type);
    }
    expect(broken).toEqual([]);
    expect(made).toBeGreaterThan(0);
    expect([...asked, ...NEVER_ASKED].toSorted()).toEqual(Object.keys(requestKind.types).toSorted());
    expect([...struck].toSorted()).toEqual([...FAULTS, ...FATES, ...SPOILS].toSorted());
  });

  it('do the same thing again for the same seed', async () => {
    const [once, again] = [await simulate(scenarioOf(7)), await simulate(scenarioOf(7))];
    expect(again.trace).toEqual(once.trace);
    expect(once.trace.length).toBeGreaterThan(10);
  });
});

describe('rules that are switched off', () => {
  it('are all looked for', () => {
    const looked = [...MUTANTS.map(({ rules }) => rules[0]), ...Object.keys(SCRIPTED_ONLY)];
    expect(looked.toSorted()).toEqual(allRuleNames.toSorted());
  });

  it.each([
    'session.firstClaimWins',
    'coordinator.hold',
    'session.repeatUntilSeen',
    'gateway.comparePosition',
    'coordinator.snapshotAnchored',
  ])('%s is caught', async (name) => {
    const mutant = MUTANTS.find(({ rules }) => rules.length === 1 && rules[0] === name);
    expect(mutant && (await catchMutant(mutant))).toMatchObject({ violation: { invariant: expect.any(String) } });
  });

  it('are not credited with what they do not protect', async () => {
    const mutant = MUTANTS.find(({ rules }) => rules[0] === 'session.claimBeforeCall');
    expect(mutant && (await catchMutant(mutant, 1))).toMatchObject({ violation: { invariant: 'claimBeforeEffect' } });
    expect(mutant && (await catchMutant({ ...mutant, breaks: ['noEffectLost'] }, 1))).toBeNull();
  });

  it('leave a short trace', async () => {
    const rules = withoutRules(['session.claimBeforeCall']);
    const scenario = scenarioOf(1);
    const { violation } = await simulate(scenario, rules);
    const smallest = await shrink(scenario, violation?.invariant ?? '', rules);
    expect(smallest.faults.length + smallest.losses.length + smallest.runs.length).toBe(1);
    const { trace } = await simulate(smallest, rules);
    expect(trace.at(-1)).toContain('VIOLATED claimBeforeEffect');
    expect(trace.length).toBeLessThan(12);
  });
});
