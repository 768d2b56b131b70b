import type { Budget } from '@holdfast/programs';
import { queueOf, asked } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { forEach, planOf, step } from '../../../../test/support/plans.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';
import { tools, lead, chain, side, ending, raise } from '../../../../test/support/budgets/leading.js';

describe('a warning', () => {
  it('comes once when nine tenths are used, and again when the limit was raised', () => {
    const lane = lead().submit(
      planOf(
        forEach(
          'f',
          Array.from({ length: 12 }, () => 1),
          step('a', 'verifiable'),
        ),
      ),
      {
        budget: { effects: 10, onExhausted: 'ask' },
      },
    );
    const warnings = () => lane.events().flatMap(({ event }) => (event.type === 'BudgetWarned' ? [event.data] : []));
    expect(warnings()).toEqual([{ limit: 'effects', most: 10, used: 10 }]);
    for (let item = 0; item < 10; item += 1) {
      lane.claims(`run-1/f[${item}].a/0`).say('AttemptSucceeded', { step: `f[${item}].a` });
    }
    raise(lane, { effects: 11 });
    expect(warnings().map(({ most }) => most)).toEqual([10, 11]);
  });

  it('comes for the time that the run has', () => {
    const lane = lead().submit(chain('verifiable', 'a'), { deadlineMs: 100_000 }).claims('run-1/a/0', 'S', 1e15);
    expect(lane.tick(89_000).told).not.toContain('BudgetWarned');
    expect(lane.tick(1_000).told).toContain('BudgetWarned');
    lane.tick(10_000);
    expect(ending(lane)).toMatch(/^deadline_exceeded/);
  });

  it('comes again for another deadline', () => {
    const lane = lead().submit(chain('verifiable', 'a'), { deadlineMs: 100_000 }).claims('run-1/a/0', 'S', 1e15);
    const warnings = () => lane.told.filter((told) => told === 'BudgetWarned').length;
    lane.tick(90_000).ask('SteerRun', { deadlineMs: 200_000 });
    expect([warnings(), lane.tick(170_000), warnings()]).toEqual([1, lane, 1]);
    lane.tick(10_000);
    expect(warnings()).toBe(2);
  });
});

describe('a run that asks for more', () => {
  const asking = () => {
    const lane = lead().submit(chain('verifiable', 'a', 'b'), { budget: { effects: 1, onExhausted: 'ask' } });
    return lane.claims('run-1/a/0').say('AttemptSucceeded');
  };

  it('goes on when a person raises the limit', () => {
    const lane = raise(asking(), { effects: 2 });
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/b/0']);
    lane.claims('run-1/b/0').say('AttemptSucceeded', { step: 'b' });
    expect(ending(lane)).toMatch(/^succeeded/);
  });

  it('goes on when it is steered to more, and is not asked any more', () => {
    const lane = asking();
    const [open] = Object.values(lane.questions());
    lane.ask('SteerRun', { limits: { effects: 2 } });
    expect([lane.commands, lane.questions()]).toEqual([['run-1/a/0', 'run-1/b/0'], {}]);
    lane.arrive(
      asked(request('AnswerEscalation', { requestId: 'e', runId: 'run-1', escalation: open ?? -1, choice: 'end' })),
    );
    expect(lane.replies.at(-1)).toContain('no_longer_asked');
    lane.claims('run-1/b/0').say('AttemptSucceeded', { step: 'b' });
    expect(ending(lane)).toMatch(/^succeeded/);
  });

  it('is asked anew when it is steered to what is not enough', () => {
    const lane = asking();
    const [before] = Object.values(lane.questions());
    lane.ask('SteerRun', { limits: { effects: 1 } });
    expect(Object.values(lane.questions())).toEqual([expect.any(Number)]);
    expect(Object.values(lane.questions())).not.toEqual([before]);
  });

  it('is not answered without a limit, nor with one that is used up already', () => {
    const lane = asking();
    raise(lane);
    raise(raise(lane), { effects: 0 });
    expect(lane.replies.filter((reply) => reply.includes('invalid_request')).length).toBe(3);
    expect(Object.keys(lane.live().escalations)).toHaveLength(1);
  });

  it('ends with what was used up when a person says so, and with the silence when nobody does', () => {
    const lane = asking();
    const [open] = Object.values(lane.live().escalations);
    const answer = { requestId: 'e', runId: 'run-1', escalation: open?.seq ?? -1, choice: 'end' as const };
    lane.arrive(asked(request('AnswerEscalation', answer)));
    expect(ending(lane)).toMatch(/^budget_exhausted: effects 1\/1/);
    expect(ending(asking().tick(100_200))).toMatch(/^escalation_expired/);
  });
});

describe('idle time', () => {
  const idle = (budget: Budget) => lead().submit(side('unprotected', 'a', 'b'), { budget });

  it('ends a run that makes no progress', () => {
    const lane = lead()
      .submit(chain('verifiable', 'a', 'b', 'c'), { budget: { idleMs: 3_000 } })
      .claims('run-1/a/0');
    lane.tick(900).say('AttemptSucceeded').claims('run-1/b/0', 'S', 1e15);
    expect(ending(lane.tick(2_900))).toBeNull();
    // What is under way may still end.
    expect(ending(lane.tick(100))).toBeNull();
    lane.say('AttemptSucceeded', { step: 'b' });
    expect(ending(lane)).toBe('budget_exhausted: no progress for 3000 ms, 3000 are allowed');
  });

  it('does not count while a person is asked', () => {
    const lane = idle({ idleMs: 3_000 });
    lane.catalogue = catalogueOf(...tools.values(), tool('unprotected'));
    lane.queues = { default: queueOf() };
    lane.submit(side('unprotected', 'a', 'b'), { runId: 'run-2', budget: { idleMs: 3_000 } });
    lane.claims('run-2/a/0').say('AttemptUnknown', { runId: 'run-2' }).tick(1_500).tick(50_000);
    expect(ending(lane)).toBeNull();
    expect(lane.live('run-2').budget.idleSince).toBeNull();
  });
});
