import type { HistoryEvent } from '@holdfast/events';
import type { Budget, Json, Plan } from '@holdfast/programs';
import * as fc from 'fast-check';
import { request } from '../../../../test/support/messages.js';
import { planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';

const inner = planOf(step('x', 'verifiable'), step('y', 'verifiable', { after: ['x'] }));
const child = (id: string, budget?: Budget, program: Plan = inner) =>
  runOf(id, program as unknown as Json, budget === undefined ? {} : { budget });
const after = (id: string, ...rest: Parameters<typeof child> extends [string, ...infer R] ? R : never) => ({
  ...child(id, ...rest),
  after: ['a'],
});

type EventOf<T extends HistoryEvent['type']> = Extract<HistoryEvent, { type: T }>;
const happened = <T extends HistoryEvent['type']>(lanes: SeveralLanes, runId: string, type: T): readonly EventOf<T>[] =>
  lanes
    .at(runId)
    .events()
    .flatMap(({ event, subject }) => (subject === runId && event.type === type ? [event as EventOf<T>] : []));
const spentOf = (lanes: SeveralLanes, runId: string) => lanes.live(runId)?.spent ?? {};
const play = (plan: Plan, budget: Budget) => new SeveralLanes(3).submit(plan, { runId: 'p', budget }).calm();

describe('what a child may use', () => {
  it('is reserved in its parent before it begins, and settled by what it has used', () => {
    const lanes = play(planOf(child('a', { steps: 5, effects: 3 }), after('b', { steps: 8 })), { steps: 10 });
    expect(spentOf(lanes, 'p')).toMatchObject({ steps: 5, effects: 3 });
    expect(lanes.live('p~a')?.budget.limits?.amounts).toMatchObject({ steps: 5, effects: 3 });
    lanes.work('p~a').work('p~a').calm();
    expect(happened(lanes, 'p', 'ChildEnded')[0]?.data.used).toMatchObject({ steps: 2, effects: 2, children: 1 });
    expect(spentOf(lanes, 'p')).toMatchObject({ steps: 10, children: expect.any(Number) });
    lanes.work('p~b').work('p~b').calm();
    expect(happened(lanes, 'p', 'RunEnded')[0]?.data).toMatchObject({ reason: 'succeeded', spent: { steps: 4 } });
  });

  it('is given back whole where it was refused', () => {
    const plan = planOf({ ...runOf('a', { $from: 'input' }, { budget: { steps: 5 } }), onFailure: 'continue' });
    const lanes = play(plan, { steps: 10 });
    expect(happened(lanes, 'p', 'RunEnded')[0]?.data.spent).toMatchObject({ steps: 0 });
  });

  it('is waited for as long as another child may give it back', () => {
    const lanes = play(planOf(child('a', { steps: 6 }), child('b', { steps: 6 })), { steps: 10 });
    expect(lanes.run('p~b')).toBeUndefined();
    expect(lanes.live('p')?.waiting?.waitingFor).toContain('its budget for steps');
    lanes.work('p~a').work('p~a').calm();
    expect(lanes.live('p~b')?.parent?.stepId).toBe('b');
  });

  it('ends its parent where it can never fit', () => {
    const lanes = play(planOf(child('a', { steps: 11 })), { steps: 10 });
    expect(happened(lanes, 'p', 'RunEnded')[0]?.data.reason).toBe('budget_exhausted');
    expect(lanes.run('p~a')).toBeUndefined();
  });

  it('is said by its program, where its step says nothing', () => {
    const lanes = play(planOf(child('a', undefined, { ...inner, budget: { steps: 1 } })), { steps: 10 });
    lanes.work('p~a').calm();
    expect(happened(lanes, 'p~a', 'RunEnded')[0]?.data.reason).toBe('budget_exhausted');
  });

  it.each(['raise', 'steer'] as const)('is all that there is for it: a %s above it is refused', (how) => {
    const lanes = play(planOf(child('a', { effects: 1, onExhausted: 'ask' })), { effects: 3 });
    lanes.work('p~a').calm();
    const asked = (effects: number) => {
      const about = { requestId: `ask for ${effects}`, runId: 'p~a' };
      const [question] = Object.values(lanes.live('p~a')?.escalations ?? {});
      const answer = { ...about, escalation: question?.seq ?? -1, choice: 'raise' as const, budget: { effects } };
      return how === 'raise'
        ? request('AnswerEscalation', answer)
        : request('SteerRun', { ...about, limits: { effects } });
    };
    lanes.ask(asked(2)).calm();
    expect(happened(lanes, 'p~a', 'StepScheduled')).toHaveLength(1);
    expect(lanes.live('p~a')?.budget.limits?.amounts).toMatchObject({ effects: 1 });
    const said = lanes.at('p~a').reactions.flatMap((told) => (told.kind === 'reply' ? [told.reply.message] : []));
    expect(said.at(-1)).toMatch(/: run p has begun this one and has given it no more than 1 effects$/);
  });

  it('says how deep it may go', () => {
    const deep = planOf(child('a', undefined, planOf(child('b'))));
    const lanes = play(deep, { depth: 1 });
    expect(happened(lanes, 'p~a', 'StepFailed')[0]?.data.failure.code).toBe('too_deep');
  });

  it('has to be approved as in its parent', () => {
    const lanes = new SeveralLanes(3)
      .submit(planOf(child('a')), { runId: 'p', approvals: [{ tool: 'verifiable@1' }] })
      .calm();
    expect(Object.values(lanes.live('p~a')?.escalations ?? {})).toMatchObject([{ kind: 'approval', stepId: 'x' }]);
  });

  it('never is more in all than the run that began them may use', () => {
    const move = fc.tuple(fc.constantFrom('tell', 'deliver', 'again', 'crash', 'work', 'cancel'), fc.nat(20));
    const budgets = fc.array(fc.option(fc.record({ steps: fc.nat(6) }), { nil: undefined }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(budgets, fc.nat(12), fc.array(move, { maxLength: 60 }), (asked, steps, moves) => {
        const plan = planOf(...asked.map((budget, index) => child(`c${index}`, budget)));
        const lanes = new SeveralLanes(3).submit(plan, { runId: 'p', budget: { steps } });
        const begun = () =>
          lanes.places.flatMap(({ harness }) =>
            harness.events().filter(({ event }) => event.type === 'StepScheduled' && event.data.attempt === 0),
          ).length;
        for (const [name, at] of moves) {
          const runId = lanes.runs[at % Math.max(1, lanes.runs.length)]?.runId ?? 'p';
          if (name === 'tell') lanes.tell(at % 3);
          else if (name === 'crash') lanes.crash(at % 3);
          else if (name === 'work') lanes.work(runId);
          else if (name === 'cancel') lanes.cancel(runId);
          else lanes.deliver(at % Math.max(1, lanes.transit.length), name === 'again');
          expect(begun()).toBeLessThanOrEqual(steps);
          expect(Number(lanes.live('p')?.spent['steps'] ?? 0)).toBeLessThanOrEqual(steps);
        }
        for (let round = 0; round < 12; round += 1) {
          lanes.calm();
          for (const { runId } of lanes.runs) lanes.work(runId);
          lanes.tick(1_000);
        }
        expect(begun()).toBeLessThanOrEqual(steps);
        expect(lanes.stopped).toBeNull();
        expect(lanes.runs.filter(({ status }) => status !== 'ended').map(({ runId }) => runId)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
