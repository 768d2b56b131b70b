import { amountOf } from '@holdfast/events';
import { planOf, step } from '../../../../test/support/plans.js';
import { lead, chain, side, usd, ending } from '../../../../test/support/budgets/leading.js';

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
