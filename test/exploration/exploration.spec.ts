import { configurations, mutations, NO_END, smallest } from './configurations.js';
import { explore } from './engine/explore.js';
import { systemOf } from './world/system.js';

describe('the machines that ship, explored to the end', () => {
  it.each(smallest)('$about: every invariant holds, and an end can always be reached', (configuration) => {
    const { exhausted, breach, stuck, states } = explore(systemOf(configuration));
    expect({ exhausted, breach, stuck }).toEqual({ exhausted: true, breach: null, stuck: null });
    expect(states).toBeGreaterThan(50);
  });
});

describe('the exploration notices a rule that is taken away', () => {
  it.each(mutations)('$rule, when $configuration.about', ({ off, configuration, breaks }) => {
    const { breach, stuck } = explore(systemOf(configuration, off), 20_000);
    const found = breach ?? (stuck === null ? null : { invariant: NO_END, trace: stuck.trace });
    expect(found?.invariant).toBe(breaks);
    expect(found?.trace.length).toBeGreaterThan(0);
  });
});

describe('a trace', () => {
  it('leads from the beginning to the breach, in words', () => {
    const { off, configuration } = mutations.find(({ rule }) => rule === 'firstClaimWins') ?? mutations[0]!;
    expect(explore(systemOf(configuration, off)).breach?.trace.at(-1)).toBe('the call of E1 for run-1/a/0 acts');
  });

  it('is the same each time', () => {
    const [first] = smallest;
    const again = () => explore(systemOf(first!));
    expect(again()).toEqual(again());
  });
});

it('names each configuration once', () =>
  expect(new Set(configurations.map(({ name }) => name)).size).toBe(configurations.length));
