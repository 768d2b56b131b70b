import { isDependent, nodeSettings, ProgramError, stepAt } from './index.js';
import type { Plan } from './index.js';

const plan: Plan = {
  kind: 'plan',
  hold: 'step',
  steps: [
    { id: 'list', tool: 'list@1' },
    { id: 'other', tool: 'other@1', hold: 'run', onFailure: 'continue' },
    {
      id: 'file',
      forEach: { $from: 'steps.list.files' },
      onFailure: 'continue',
      steps: [
        { id: 'read', tool: 'read@1' },
        { id: 'mid', tool: 'mid@1', after: ['read'] },
        { id: 'save', tool: 'save@1', args: { $from: 'steps.mid' } },
        { id: 'page', forEach: { $from: 'steps.read.pages' }, steps: [{ id: 'scan', tool: 'scan@1' }] },
      ],
    },
    { id: 'report', tool: 'report@1', after: ['file'] },
  ],
};

describe('finding a step', () => {
  it('gives the step as the plan has it', () => {
    expect(stepAt(plan, 'list')).toMatchObject({ tool: 'list@1' });
    expect(stepAt(plan, 'file[17].page[3].scan')).toMatchObject({ tool: 'scan@1' });
  });

  it.each(['nothing', 'file', 'file.read', 'file[0].nothing', 'file[-1].read', 'list[0].x', 'toString', 'file[0]'])(
    'throws for %p',
    (stepId) => expect(() => stepAt(plan, stepId)).toThrow(ProgramError),
  );

  it('gives the settings, those of the plan where a step has none', () => {
    expect(nodeSettings(plan, 'file[0].read')).toStrictEqual({ hold: 'step', onFailure: 'fail' });
    expect(nodeSettings(plan, 'other')).toStrictEqual({ hold: 'run', onFailure: 'continue' });
    expect(nodeSettings(plan, 'file')).toStrictEqual({ hold: 'step', onFailure: 'continue' });
    expect(nodeSettings({ ...plan, hold: undefined }, 'list')).toStrictEqual({ onFailure: 'fail' });
  });
});

describe('asking whether a step depends on another', () => {
  it.each([
    ['file[2].save', 'file[2].mid'],
    ['file[2].save', 'file[2].read'],
    ['file[2].read', 'list'],
    ['file[2].page[0].scan', 'list'],
    ['file[2].page[0].scan', 'file[2].read'],
    ['report', 'file[2].read'],
    ['report', 'list'],
    ['file', 'file[2].read'],
  ])('%s depends on %s', (stepId, onStepId) => expect(isDependent(plan, stepId, onStepId)).toBe(true));

  it.each([
    ['file[2].save', 'file[1].mid'],
    ['file[2].page[0].scan', 'file[2].page[1].scan'],
    ['file[2].page[0].scan', 'file[2].mid'],
    ['file[2].mid', 'file[2].save'],
    ['list', 'list'],
    ['list', 'report'],
    ['other', 'list'],
    ['file[2].read', 'other'],
  ])('%s does not depend on %s', (stepId, onStepId) => expect(isDependent(plan, stepId, onStepId)).toBe(false));
});
