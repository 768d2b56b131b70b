import { amountOf } from '@holdfast/events';
import type { Budget } from '@holdfast/programs';
import { LaneHarness, queueOf, asked } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { forEach, planOf, step } from '../../../../test/support/plans.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';

const tools = catalogueOf(
  tool('pure'),
  tool('keyed'),
  tool('verifiable'),
  tool('repeatable'),
  tool('repeatable', { name: 'model', cost: { tokensIn: 100, tokensOut: 50, 'money:USD': '0.50' } }),
);

const lead = (options: ConstructorParameters<typeof LaneHarness>[0] = {}) => {
  const lane = new LaneHarness(options);
  lane.catalogue = tools;
  lane.queues = { default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools: new Set(tools.keys()) }] }) };
  return lane.seat();
};

const chain = (policy: string, ...ids: readonly string[]) =>
  planOf(...ids.map((id, at) => step(id, policy, at === 0 ? {} : { after: [ids[at - 1] ?? ''] })));
const side = (policy: string, ...ids: readonly string[]) =>
  planOf(...ids.map((id) => ({ ...step(id, policy), hold: 'step' as const })));
const usd = (amount: string): Budget => ({ money: { amount, currency: 'USD' } });
const ending = (lane: LaneHarness) => {
  const end = lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event;
  return end?.type === 'RunEnded' ? `${end.data.reason}: ${end.data.detail}` : null;
};
const raise = (lane: LaneHarness, budget?: Budget) => {
  const [open] = Object.values(lane.live().escalations);
  const said = budget === undefined ? {} : { budget };
  const data = {
    requestId: `answer ${open?.seq}`,
    runId: 'run-1',
    escalation: open?.seq ?? -1,
    choice: 'raise' as const,
  };
  return lane.arrive(asked(request('AnswerEscalation', { ...data, ...said })));
};

describe('steps and effects', () => {
  it('end the run with the limit and the step when the next one does not fit', () => {
    const lane = lead().submit(chain('verifiable', 'a', 'b', 'c'), { budget: { steps: 2 } });
    lane.claims('run-1/a/0').say('AttemptSucceeded', { step: 'a' });
    lane.claims('run-1/b/0').say('AttemptSucceeded', { step: 'b' });
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/b/0']);
    expect(ending(lane)).toBe('budget_exhausted: steps 2/2, 1 steps more wanted at step c');
  });

  it('let nothing begin where the limit is zero', () => {
    const lane = lead().submit(chain('verifiable', 'a'), { budget: { effects: 0 } });
    expect([lane.commands, ending(lane)]).toEqual([
      [],
      'budget_exhausted: effects 0/0, 1 effects more wanted at step a',
    ]);
  });

  it('wait for what an open attempt may give back, and go on when it does', () => {
    const lane = lead().submit(side('verifiable', 'a', 'b'), { budget: { effects: 1 } });
    expect(lane.told).toContain('RunWaiting');
    expect(lane.live().waiting?.waitingFor).toBe('its budget for effects, which is reserved for what is under way');
    lane.claims('run-1/a/0').say('AttemptFailed', {}, { retry: 'never', failure: { code: 'no', message: 'no' } });
    expect(ending(lane)).toMatch(/^failed/);
    const other = lead().submit(side('verifiable', 'a', 'b'), { budget: { effects: 1 } });
    other.tick(10_000).closed('run-1/a/0').tick(10);
    expect(other.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
  });

  it('are kept while the effect is in doubt, given back once when it is absent, used when it is applied', () => {
    const doubtful = () => {
      const lane = lead().submit(side('verifiable', 'a', 'b'), { budget: { effects: 1 } });
      return lane.claims('run-1/a/0').say('AttemptUnknown').tick(5_000);
    };
    const lane = doubtful();
    expect([lane.commands.length, amountOf(lane.live().spent, 'effects')]).toEqual([1, 1]);
    lane.judge(lane.doubtSeq(), 'absent', { askedAt: lane.clock.now });
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
    expect(amountOf(lane.live().spent, 'effects')).toBe(1);
    const found = doubtful();
    found.judge(found.doubtSeq(), 'applied', { askedAt: found.clock.now });
    expect(ending(found)).toBe('budget_exhausted: effects 1/1, 1 effects more wanted at step b');
  });

  it('are inherited by an attempt that settles the doubt', () => {
    const lane = lead().submit(chain('keyed', 'a', 'b'), { budget: { effects: 1, calls: 1 } });
    lane.claims('run-1/a/0').dies('S', 'session_expired');
    lane.claims('run-1/a/1', 'S2').say('AttemptSucceeded', { attempt: 1, session: 'S2' });
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
    const end = lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event.data;
    expect(end).toMatchObject({ spent: { effects: 1, 'calls:keyed@1': 1 } });
  });
});

describe('a limit that is lowered', () => {
  const four = () => {
    const lane = lead().submit(side('verifiable', 'a', 'b', 'c', 'd'), { budget: { effects: 10 } });
    return lane.claims('run-1/a/0');
  };

  it('takes back what nobody has begun, and lets as much begin again as fits', () => {
    const lane = four().ask('SteerRun', { limits: { effects: 2 } });
    expect([lane.closes, lane.live().budget.stop]).toEqual([['run-1/b/0', 'run-1/c/0', 'run-1/d/0'], null]);
    lane.closed('run-1/b/0').closed('run-1/c/0').closed('run-1/d/0').say('AttemptSucceeded');
    expect(lane.commands.slice(4)).toHaveLength(1);
    expect(lane.live().spent).toMatchObject({ effects: 2 });
  });

  it('stops the run where more was begun already', () => {
    const lane = four()
      .claims('run-1/b/0')
      .ask('SteerRun', { limits: { effects: 1 } });
    expect(lane.live().budget.stop?.detail).toBe('effects 2/1');
  });
});

describe('calls of a tool', () => {
  it('count failed ones and never those that nobody began', () => {
    const lane = lead().submit(chain('verifiable', 'a'), { budget: { calls: { verifiable: 2 } } });
    lane.tick(10_000).closed('run-1/a/0').tick(10);
    for (const attempt of [1, 2]) {
      lane.claims(`run-1/a/${attempt}`).say('AttemptFailed', { attempt }, { retry: 'now' }).tick(10);
    }
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1', 'run-1/a/2']);
    expect(ending(lane)).toMatch(/^budget_exhausted: calls:verifiable 2\/2/);
  });

  it('count what is run again after its worker died', () => {
    const lane = lead().submit(chain('repeatable', 'a'), { budget: { calls: 2 } });
    lane.claims('run-1/a/0').dies('S').tick(10);
    lane.claims('run-1/a/1', 'S2').dies('S2').tick(10);
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
    expect(ending(lane)).toMatch(/^budget_exhausted: calls 2\/2/);
  });
});

describe('tokens and money', () => {
  it('are reserved as the tool says and settled as its call says', () => {
    const lane = lead().submit(side('model', 'a', 'b', 'c'), { budget: usd('1.20') });
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/b/0']);
    lane.claims('run-1/a/0').say('AttemptSucceeded', {}, { used: { 'money:USD': '0.15', tokensIn: 20 } });
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/b/0', 'run-1/c/0']);
    expect(lane.live().spent).toMatchObject({ 'money:USD': '1.15', tokensIn: 220, tokensOut: 100 });
  });

  it('count whole where a call says nothing', () => {
    const lane = lead().submit(chain('model', 'a', 'b'), { budget: usd('0.75') });
    lane.claims('run-1/a/0').say('AttemptSucceeded');
    expect(ending(lane)).toBe('budget_exhausted: money:USD 0.5/0.75, 0.50 USD more wanted at step b');
  });

  it('above what was reserved are recorded and stop the run; what is under way may end', () => {
    const lane = lead().submit(planOf(...['a', 'b', 'c', 'd'].map((id) => step(id, 'model'))), { budget: usd('2') });
    lane.claims('run-1/a/0').claims('run-1/b/0', 'S2');
    lane.say('AttemptSucceeded', {}, { used: { 'money:USD': '3.10' } });
    expect(ending(lane)).toBeNull();
    expect(lane.closes).toEqual(['run-1/c/0', 'run-1/d/0']);
    lane.closed('run-1/c/0').closed('run-1/d/0').say('AttemptSucceeded', { step: 'b', session: 'S2' }, { used: {} });
    expect(ending(lane)).toBe('budget_exhausted: money:USD 3.6/2');
    const end = lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event.data;
    expect(end).toMatchObject({ spent: { 'money:USD': '3.1' } });
  });

  it('of a call in doubt are kept as its worker reported them, above its reservation too', () => {
    const lane = lead().submit(side('verifiable', 'a', 'b'), { budget: { tokensIn: 10 } });
    lane
      .claims('run-1/a/0')
      .say('AttemptUnknown', {}, { used: { tokensIn: 7 } })
      .tick(5_000);
    expect(lane.live().spent).toMatchObject({ tokensIn: 7, effects: 2 });
    lane.judge(lane.doubtSeq(), 'absent', { askedAt: lane.clock.now });
    expect(lane.live().spent).toMatchObject({ tokensIn: 7, effects: 2, 'calls:verifiable@1': 3 });
  });
});

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

describe('counters', () => {
  it('survive a new owner of the lane', () => {
    const lane = lead()
      .submit(chain('verifiable', 'a', 'b', 'c'), { budget: { calls: 2 } })
      .claims('run-1/a/0');
    lane.say('AttemptSucceeded').unseat();
    const next = lead({ owner: 'C2', history: lane.history, clock: lane.clock });
    next.claims('run-1/b/0').say('AttemptSucceeded', { step: 'b' });
    expect(ending(next)).toMatch(/^budget_exhausted: calls 2\/2/);
  });

  it('tell a tool what is left, its own call reserved', () => {
    const lane = lead().submit(chain('model', 'a', 'b'), { budget: { ...usd('2'), calls: 5 } });
    lane.claims('run-1/a/0').say('AttemptSucceeded', {}, { used: { 'money:USD': '0.1' } });
    const budgets = lane.reactions.flatMap((told) => (told.kind === 'command' ? [told.order.budget] : []));
    expect(budgets).toEqual([
      { calls: 4, 'money:USD': '1.5', wallMs: 1_000_000 },
      { calls: 3, 'money:USD': '1.4', wallMs: 1_000_000 },
    ]);
  });

  it('tell it how long the run may go on, and how deep', () => {
    const budget = { idleMs: 5_000, depth: 2 };
    const lane = lead().submit(side('verifiable', 'a', 'b'), { budget, deadlineMs: 60_000 });
    lane.tick(2_000).claims('run-1/a/0').say('AttemptFailed', {}, { retry: 'now' }).tick(1_000);
    const told = lane.reactions.flatMap((one) => (one.kind === 'command' ? [one.order] : []));
    expect(told[0]?.budget).toEqual({ idleMs: 5_000, depth: 2, wallMs: 60_000 });
    const again = told.find(({ stepId, attempt }) => stepId === 'a' && attempt === 1);
    expect(again?.budget).toMatchObject({ depth: 2, wallMs: expect.any(Number) });
    expect(again?.budget?.['wallMs']).toBeLessThanOrEqual(58_000);
  });
});
