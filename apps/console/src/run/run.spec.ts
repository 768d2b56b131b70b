import { alike, forkName, missingLeave } from './header/forking.js';
import { limitsFrom, withWindow } from './header/steering.js';
import { eventTypes } from './history/event-types.js';
import { segments } from './overview/segments.js';
import { plannedSteps, programName, windowsOf } from './program.js';
import { tabOf } from './tabs.js';

const plan = {
  kind: 'plan',
  name: 'File all',
  steps: [
    { id: 'list', tool: 'list@1' },
    {
      id: 'document',
      forEach: { $from: 'input.files[0].pages' },
      window: 8,
      steps: [
        { id: 'read', tool: 'read@1' },
        { id: 'file', tool: 'file@1' },
      ],
    },
  ],
};

describe('a plan', () => {
  it('says how many steps there will be, where its input does', () => {
    expect(plannedSteps(plan, { files: [{ pages: [1, 2, 3] }] })).toBe(7);
    expect(plannedSteps(plan, { files: [] })).toBeNull();
    expect(
      plannedSteps({ steps: [{ id: 'a', forEach: { $from: 'steps.list' }, steps: [{ id: 'b' }] }] }, {}),
    ).toBeNull();
    expect(
      plannedSteps(
        {
          steps: [
            { id: 'a', tool: 'x@1' },
            { id: 'b', agent: {} },
          ],
        },
        {},
      ),
    ).toBeNull();
    expect(plannedSteps({ kind: 'other' }, {})).toBeNull();
    expect(plannedSteps(null, null)).toBeNull();
  });

  it('names its windows as they are steered', () => {
    const nested = { steps: [{ id: 'a', forEach: [], steps: [{ id: 'b', forEach: [], window: 4, steps: [] }] }] };
    expect(windowsOf(plan)).toEqual([{ name: 'document', window: 8 }]);
    expect(windowsOf(nested)).toEqual([
      { name: 'a', window: 32 },
      { name: 'a.b', window: 4 },
    ]);
    expect([programName(plan), programName([])]).toEqual(['File all', null]);
  });

  it('is drawn in parts of what it will be', () => {
    const { parts, whole } = segments({ stepsOpen: 2, stepsSucceeded: 3, stepsFailed: 0 }, 7);
    expect(whole).toBe(7);
    expect(parts.map(({ name, count }) => [name, count])).toEqual([
      ['succeeded', 3],
      ['open', 2],
      ['to come', 2],
    ]);
    expect(segments({ stepsOpen: 0, stepsSucceeded: 9, stepsFailed: 1 }, 7).whole).toBe(10);
  });
});

describe('a fork', () => {
  it('needs leave for each effect that would be made again', () => {
    const again = [
      { stepId: 'a', repeat: 'ask' as const },
      { stepId: 'b', repeat: 'free' as const },
    ].map((step) => ({ ...step, tool: 't', policy: 'verifiable', effect: 'applied' as const, why: '' }));
    expect(missingLeave({ again }, [])).toEqual(['a']);
    expect(missingLeave({ again }, ['a'])).toEqual([]);
    expect(alike({ again }).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('takes items together, which may be allowed by one name', () => {
    const step = { tool: 't', policy: 'verifiable', effect: 'applied' as const, why: '', repeat: 'ask' as const };
    const again = ['d[0].read', 'd[0].file', 'd[17].file'].map((stepId) => ({
      ...step,
      stepId,
      repeat: stepId.endsWith('read') ? ('free' as const) : step.repeat,
    }));
    expect(alike({ again }).map(({ name, steps }) => [name, steps.length])).toEqual([
      ['d[*].file', 2],
      ['d[0].read', 1],
    ]);
    expect(missingLeave({ again }, ['d[0].file'])).toEqual(['d[17].file']);
    expect(missingLeave({ again }, ['d[*].file'])).toEqual([]);
  });

  it('gets a name of its own, and a fork of a fork another one', () => {
    expect(['m-1', 'm-1-fork', 'm-1-fork-2'].map(forkName)).toEqual(['m-1-fork', 'm-1-fork-2', 'm-1-fork-3']);
    expect(forkName('x'.repeat(200)).length).toBeLessThanOrEqual(200);
  });
});

describe('steering', () => {
  it('takes a budget as an object or not at all', () => {
    expect(limitsFrom(' ')).toEqual({ limits: null, problem: null });
    expect(limitsFrom('{"effects": 2}')).toEqual({ limits: { effects: 2 }, problem: null });
    expect([limitsFrom('[1]').problem, limitsFrom('{').problem]).toEqual([
      expect.stringContaining('object'),
      expect.stringContaining('no JSON'),
    ]);
  });

  it('forgets a window whose field is emptied', () => {
    expect(withWindow({ a: 1 }, 'b', 4)).toEqual({ a: 1, b: 4 });
    expect(withWindow({ a: 1, b: 4 }, 'b', '')).toEqual({ a: 1 });
  });
});

describe('the tabs and types of a run', () => {
  it('fall back on what is always there', () => {
    expect([tabOf(undefined), tabOf('steps'), tabOf('nonsense')]).toEqual(['overview', 'steps', 'overview']);
    expect(eventTypes([{ type: 'ZetaHappened' }])).toEqual(expect.arrayContaining(['RunEnded', 'ZetaHappened']));
  });
});
