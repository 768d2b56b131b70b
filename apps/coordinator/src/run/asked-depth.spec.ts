import { LIMITS } from '@holdfast/events';
import type { Json, PlanAsk } from '@holdfast/programs';
import { LaneHarness } from '../../../../test/support/lane-harness.js';
import { planOf } from '../../../../test/support/plans.js';

const nested = (levels: number, inside: Json = 1): Json => (levels === 0 ? inside : [nested(levels - 1, inside)]);
const asking = (ask: Partial<PlanAsk['ask']>, input: Json = {}): LaneHarness =>
  new LaneHarness().seat().submit(planOf({ id: 'q', ask: { question: 'Well?', choices: ['yes'], ...ask } }), { input });
const dataOf = (lane: LaneHarness, type: string) =>
  lane.events().flatMap(({ event }) => (event.type === type ? [event.data as Record<string, unknown>] : []));
const question = (lane: LaneHarness): number => lane.questions()['q'] ?? -1;

describe('how deep what people are shown and say may be', () => {
  it('fails a question whose context is put together deeper than a record may be, and no lane stops', () => {
    const lane = asking({ context: nested(40, { $from: 'input' }) }, nested(70));
    expect(lane.stopped).toBeNull();
    expect(dataOf(lane, 'StepFailed')).toMatchObject([{ failure: { code: 'context_too_large' } }]);
    expect(dataOf(lane, 'StepFailed')).toMatchObject([{ failure: { message: expect.stringContaining('80 levels') } }]);
    const shown = asking({ context: nested(10, { $from: 'input' }) }, nested(LIMITS.valueDepth - 10));
    expect(shown.questions()).toHaveProperty('q');
  });

  it('refuses a proof that is deeper, and takes one that is not', () => {
    const lane = asking({});
    lane.decides(question(lane), 'yes', { proof: nested(LIMITS.valueDepth + 1) });
    expect(lane.replies.at(-1)).toContain('too_large');
    lane.decides(question(lane), 'yes', { proof: nested(LIMITS.valueDepth) });
    expect(lane.run().end?.reason).toBe('succeeded');
  });
});
