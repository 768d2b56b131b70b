import type { HistoryEvent } from '@holdfast/events';
import { planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { undoableTools } from '../../../../test/support/tools.js';

const inner = planOf(step('x', 'reserve'));
const ended = (lanes: SeveralLanes) => {
  const of = (event: HistoryEvent) => (event.type === 'CompensationEnded' ? [event.data] : []);
  return lanes
    .at('p')
    .events()
    .flatMap(({ event, subject }) => (subject === 'p' ? of(event) : []));
};

describe('effects of runs that the cancelled run has begun and that have ended', () => {
  it('are named as held beside those that were undone', () => {
    const lanes = new SeveralLanes(3, {}, undoableTools());
    const plan = planOf(
      step('car', 'reserve'),
      { ...runOf('a', inner), after: ['car'] },
      step('z', 'other', { after: ['a'] }),
    );
    lanes.submit(plan, { runId: 'p', compensate: 'on_cancel' }).calm().work('p').calm().work('p~a').calm().cancel('p');
    lanes.at('p').closed('p/z/0');
    lanes.calm().work(lanes.undoOf('p')).calm();
    const detail = '1 effects of runs that it began, and that have ended, are not undone';
    expect(ended(lanes)).toMatchObject([{ outcome: 'succeeded', undone: 1, heldTotal: 1, detail }]);
  });

  it('are named also where nothing else is to be undone', () => {
    const lanes = new SeveralLanes(3, {}, undoableTools());
    const plan = planOf(runOf('a', inner), step('z', 'other', { after: ['a'] }));
    lanes.submit(plan, { runId: 'p', compensate: 'on_cancel' }).calm().work('p~a').calm().cancel('p');
    lanes.at('p').closed('p/z/0');
    lanes.calm();
    expect(ended(lanes)).toMatchObject([{ outcome: 'blocked', undone: 0, heldTotal: 1 }]);
    expect(lanes.run('p')?.status).toBe('ended');
  });
});
