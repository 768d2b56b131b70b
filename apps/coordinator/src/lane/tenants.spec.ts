import {
  emptyShared,
  evolveShared,
  LIMITS,
  sharedEvent,
  type HistoryEvent,
  type RunEventData,
  type Shared,
} from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { forEach, planOf, runOf, step } from '../../../../test/support/plans.js';
import { request, word } from '../../../../test/support/messages.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';
import { draftOf, laneDraftOf } from '../run/draft.js';
import type { Env } from '../run/env.js';
import { decideAsk } from '../run/tenant.decide.js';

const tools = catalogueOf(
  tool('verifiable'),
  tool('repeatable', { name: 'model', cost: { tokensOut: 1000 } }),
  tool('repeatable', { name: 'free' }),
);

const budgetOf = (budget: object, tenant = 'acme') =>
  request('SetTenantBudget', {
    requestId: `set ${JSON.stringify(budget)}`,
    runId: `tenant/${tenant}`,
    tenant,
    budget,
  });
const lanesWith = (budget: object) => new SeveralLanes(2, {}, tools).ask(budgetOf(budget));
const chain = (ref: string, length: number) =>
  planOf(...Array.from({ length }, (_, at) => step(`s${at}`, ref, at === 0 ? {} : { after: [`s${at - 1}`] })));

const acme = (lanes: SeveralLanes) => {
  const tenant = lanes.at('tenant/acme').machine.lane.shared.tenants['acme'];
  if (tenant === undefined) throw new Error('the tenant is not known');
  return tenant;
};
const all = (lanes: SeveralLanes, runId: string): readonly HistoryEvent[] =>
  lanes
    .at(runId)
    .events()
    .flatMap(({ event, subject }) => (subject === runId ? [event] : []));
const count = (lanes: SeveralLanes, runId: string, type: HistoryEvent['type']): number =>
  all(lanes, runId).filter((event) => event.type === type).length;
const endOf = (lanes: SeveralLanes, runId: string): string | null => {
  const end = all(lanes, runId).find((event) => event.type === 'RunEnded')?.data as
    RunEventData<'RunEnded'> | undefined;
  return end === undefined ? null : `${end.reason}: ${end.detail}`;
};
/** Calls under way succeed, again and again, with what they say to have used. */
const workOff = (lanes: SeveralLanes, runId: string, used: object = {}): SeveralLanes => {
  for (let round = 0; round < 60 && lanes.live(runId) !== undefined; round += 1) {
    lanes.say(runId, 'AttemptSucceeded', { used }).calm();
  }
  return lanes;
};

describe('a tenant that limits what no tool says beforehand', () => {
  it('stops its runs as soon as too much is used, and not later', () => {
    const lanes = lanesWith({ tokensOut: 100 }).submit(chain('free', 12), { runId: 'p', tenant: 'acme' }).calm();
    workOff(lanes, 'p', { tokensOut: 1000 });
    expect(endOf(lanes, 'p')).toContain('budget_exhausted: tenant acme: tokensOut');
    expect([count(lanes, 'p', 'StepSucceeded'), acme(lanes).committed]).toEqual([1, { tokensOut: 1000 }]);
  });

  it('lets nothing more begin in any run once its own limit is exceeded', () => {
    const lanes = lanesWith({ tokensOut: 100 });
    lanes.submit(chain('free', 1), { runId: 'p', tenant: 'acme' }).calm();
    workOff(lanes, 'p', { tokensOut: 1000 });
    lanes.submit(chain('free', 1), { runId: 'q', tenant: 'acme' }).calm();
    expect([endOf(lanes, 'q'), count(lanes, 'q', 'StepScheduled')]).toEqual([
      'budget_exhausted: tenant acme: tokensOut 1000/100',
      0,
    ]);
  });

  it('is not asked for each step', () => {
    const lanes = lanesWith({ tokensOut: 1_000_000 }).submit(chain('free', 40), { runId: 'p', tenant: 'acme' }).calm();
    workOff(lanes, 'p', { tokensOut: 10 });
    expect([endOf(lanes, 'p'), acme(lanes).committed]).toEqual(['succeeded: ', { tokensOut: 400 }]);
    expect(count(lanes, 'p', 'GrantAsked')).toBeLessThan(10);
  });
});

describe('a run whose own calls may still give something back', () => {
  const six = planOf(forEach('f', [1, 2, 3, 4, 5, 6], step('x', 'model')));

  it('waits for them where its tenant has no more', () => {
    const lanes = lanesWith({ tokensOut: 3000 }).submit(six, { runId: 'p', tenant: 'acme' }).calm();
    expect([count(lanes, 'p', 'StepScheduled'), lanes.live('p')?.waiting?.waitingFor]).toEqual([
      3,
      'its budget of tenant acme for tokensOut, which is reserved for what is under way',
    ]);
    workOff(lanes, 'p', { tokensOut: 50 });
    expect([endOf(lanes, 'p'), acme(lanes).committed]).toEqual(['succeeded: ', { tokensOut: 300 }]);
  });

  it('asks anew where they have given nothing back, and learns that there is no more', () => {
    const lanes = lanesWith({ tokensOut: 3000 }).submit(six, { runId: 'p', tenant: 'acme' }).calm();
    workOff(lanes, 'p', { tokensOut: 1000 });
    expect([endOf(lanes, 'p'), count(lanes, 'p', 'StepSucceeded')]).toEqual([
      'budget_exhausted: tenant acme: tokensOut 3000/3000, 1000 tokens out more wanted',
      3,
    ]);
  });

  it('asks anew where they have given nothing back, and gets what has come free since', () => {
    const lanes = lanesWith({ tokensOut: 3000 }).submit(six, { runId: 'p', tenant: 'acme' }).calm();
    lanes.ask(budgetOf({ tokensOut: 6000 })).calm();
    workOff(lanes, 'p', { tokensOut: 1000 });
    expect(endOf(lanes, 'p')).toBe('succeeded: ');
  });
});

describe('runs that a run of a tenant begins', () => {
  const many = planOf(forEach('f', [1, 2, 3, 4, 5, 6, 7, 8], step('x', 'verifiable')));
  const eighty = planOf(
    forEach(
      'f',
      Array.from({ length: 80 }, (_, at) => at),
      step('x', 'verifiable'),
    ),
  );
  const begins = (budget?: object, more: object = {}) =>
    planOf(runOf('c', many, { ...(budget === undefined ? {} : { budget }), ...more }));

  it('live on the same tenant, also where they begin others', () => {
    const lanes = lanesWith({ effects: 3 })
      .submit(planOf(runOf('b', begins())), { runId: 'p', tenant: 'acme' })
      .calm();
    for (let round = 0; round < 12; round += 1) lanes.work('p~b~c').calm();
    expect([count(lanes, 'p~b~c', 'StepSucceeded'), endOf(lanes, 'p~b~c')]).toEqual([
      3,
      expect.stringContaining('budget_exhausted: tenant acme: effects 3/3'),
    ]);
    expect(acme(lanes)).toMatchObject({ committed: { effects: 3 }, runs: { open: 0 } });
  });

  it('are charged to it once', () => {
    const lanes = lanesWith({ effects: 100, children: 2 }).submit(begins({ effects: 20 }), {
      runId: 'p',
      tenant: 'acme',
    });
    lanes.calm();
    expect(acme(lanes).committed).toMatchObject({ children: 1 });
    workOff(lanes, 'p~c');
    expect([endOf(lanes, 'p'), acme(lanes).committed]).toEqual(['succeeded: ', { effects: 8, children: 1 }]);
  });

  it('do not wait for what a run that waits for them may give back', () => {
    const lanes = lanesWith({ effects: 100 });
    const own = planOf(step('a', 'verifiable'), { ...runOf('c', eighty), after: ['a'] });
    for (const runId of ['p', 'q']) lanes.submit(own, { runId, tenant: 'acme' }).calm().work(runId).calm();
    for (let round = 0; round < 10; round += 1) lanes.work('p~c').calm().work('q~c').calm();
    const ends = ['p', 'q', 'p~c', 'q~c'].map((runId) => endOf(lanes, runId)?.split(':')[0]);
    expect(ends).not.toContain(undefined);
    expect(Number(acme(lanes).committed['effects'])).toBeLessThanOrEqual(100);
    expect(acme(lanes)).toMatchObject({ queue: [], runs: { open: 0, giving: 0 } });
  });

  it('are as many as it allows', () => {
    const lanes = lanesWith({ children: 1 });
    const two = planOf(runOf('c', planOf(step('x', 'verifiable'))), { ...runOf('d', many), after: ['c'] });
    lanes.submit(two, { runId: 'p', tenant: 'acme' }).calm();
    workOff(lanes, 'p~c');
    expect([endOf(lanes, 'p'), count(lanes, 'p', 'ChildStarted')]).toEqual([
      'budget_exhausted: tenant acme: children 1/1, 1 children more wanted',
      1,
    ]);
  });

  it('give back to it what they have not used, also where they outlive the run', () => {
    const lanes = lanesWith({ effects: 100 });
    lanes.submit(begins({ effects: 90 }, { detached: true, waitMs: 10 }), { runId: 'p', tenant: 'acme' }).calm();
    lanes.tick(20).calm();
    expect(endOf(lanes, 'p')).toBe('succeeded: ');
    workOff(lanes, 'p~c');
    expect([endOf(lanes, 'p~c'), acme(lanes).committed]).toMatchObject(['succeeded: ', { effects: 8 }]);
  });

  it('also undo its effects on the same tenant, and ask a person where that has no more', () => {
    const undoable = catalogueOf(
      tool('keyed', { name: 'book', compensate: 'unbook@1' }),
      tool('keyed', { name: 'unbook' }),
      tool('verifiable'),
    );
    const lanes = new SeveralLanes(2, {}, undoable).ask(budgetOf({ effects: 1 }));
    const plan = planOf(step('a', 'book'), step('b', 'verifiable', { after: ['a'] }));
    lanes.submit(plan, { runId: 'p', tenant: 'acme', compensate: 'on_cancel', budget: { onExhausted: 'ask' } }).calm();
    lanes.work('p').calm().cancel('p').calm();
    const undo = lanes.runs.find(({ runId }) => runId.includes('undo'))?.runId ?? '';
    expect(Object.values(lanes.live(undo)?.escalations ?? {})).toMatchObject([{ kind: 'budget' }]);
    expect(lanes.live(undo)?.budget.grant).toMatchObject({ tenant: 'acme' });
  });
});

describe('a run that is over', () => {
  it('says so for good also where the answer of a person is the last of it', () => {
    const held = (id: string) => step(id, 'verifiable', { hold: 'step' });
    const lanes = lanesWith({ effects: 3 })
      .submit(planOf(held('a'), held('b')), { runId: 'p', tenant: 'acme' })
      .calm()
      .tick(10_000);
    lanes.at('p').closed('p/a/0').closed('p/b/0');
    lanes.tick(10).calm().at('p').claims('p/a/1', 'S2');
    for (const [attempt, session] of [
      [1, 'S2'],
      [0, 'S1'],
    ] as const) {
      const said = word('AttemptSucceeded', { runId: 'p', step: 'a', attempt, session });
      lanes.put(lanes.laneOf('p'), { kind: 'journal', word: said });
    }
    lanes.calm().cancel('p', 100).tick(10).at('p').closed('p/b/1');
    lanes.tick(200).calm();
    const [conflict] = Object.values(lanes.live('p')?.escalations ?? {});
    expect([lanes.live('p')?.status, conflict?.kind, acme(lanes).over.flat()]).toEqual(['closing', 'conflict', []]);
    const answer = { requestId: 'seen', runId: 'p', escalation: conflict?.seq ?? -1, choice: 'acknowledge' as const };
    lanes.ask({ ...request('AnswerEscalation', answer), time: new Date(lanes.clock.now).toISOString() }).calm();
    expect([lanes.run('p')?.status, acme(lanes).over.flat()]).toMatchObject(['ended', [{ runId: 'p' }]]);
  });
});

describe('what a tenant may use', () => {
  it('is told to tools as far as it was granted to their run', () => {
    const lanes = lanesWith({ effects: 100 }).submit(chain('verifiable', 1), { runId: 'p', tenant: 'acme' }).calm();
    const told = lanes.at('p').reactions.flatMap((one) => (one.kind === 'command' ? [one.order.budget] : []));
    expect(told).toMatchObject([{ 'granted:effects': 32 }]);
  });

  it('is set for every name, also for one that objects have', () => {
    const lanes = new SeveralLanes(2, {}, tools).submit(chain('verifiable', 1), { runId: 'p', tenant: 'constructor' });
    expect(endOf(lanes.calm(), 'p')).toContain('tenant constructor has no budget');
    lanes
      .ask(budgetOf({ effects: 1 }, 'constructor'))
      .submit(chain('verifiable', 1), { runId: 'q', tenant: 'constructor' });
    workOff(lanes.calm(), 'q');
    expect([endOf(lanes, 'q'), lanes.stopped]).toEqual(['succeeded: ', null]);
  });

  it('is replaced as a whole', () => {
    const lanes = lanesWith({ effects: 5, tokensOut: 10 }).ask(budgetOf({ effects: 6 }));
    expect(acme(lanes).amounts).toEqual({ effects: 6 });
  });
});

describe('a tenant of many runs', () => {
  const given = (shared: Shared, runId: string): Shared =>
    evolveShared(
      shared,
      sharedEvent('GrantGiven', { tenant: 'acme', runId, ask: 1, total: { effects: 1 }, denied: null }),
    );
  const over = (shared: Shared, runId: string, until = 1): Shared => {
    const data = { tenant: 'acme', runId, seq: 1, keeps: { effects: 1 }, final: true, until };
    return evolveShared(shared, sharedEvent('GrantSettled', data));
  };
  const known = (count: number, each: (shared: Shared, runId: string) => Shared): Shared => {
    const amounts = { effects: 1_000_000 };
    const set = { runId: 'tenant/acme', tenant: 'acme', requestId: 'set', principal: null, amounts };
    let shared = evolveShared(emptyShared, sharedEvent('TenantBudgetSet', set));
    for (let at = 0; at < count; at += 1) shared = each(given(shared, `old-${at}`), `old-${at}`);
    return shared;
  };
  const askOf = (shared: Shared) => {
    const lane = laneDraftOf(0, shared);
    const data = { requestId: 'a', runId: 'new', tenant: 'acme', ask: 1, need: { effects: 1 }, want: { effects: 2 } };
    decideAsk(draftOf('new', undefined, lane), { request: request('AskGrant', data), at: T0 }, { now: T0 } as Env);
    return lane.batch.flatMap((batched) => (batched.runId === null ? [batched.event] : []));
  };

  it('takes in another one, however many of them are over', () => {
    expect(askOf(known(LIMITS.tenantRunsMax, over))).toMatchObject([
      { type: 'GrantGiven', data: { runId: 'new', total: { effects: 2 }, denied: null } },
    ]);
    expect(askOf(known(LIMITS.tenantRunsMax, (shared) => shared))).toMatchObject([
      { type: 'GrantGiven', data: { denied: 'tenant acme has 10000 runs already' } },
    ]);
  });

  it('copies no more for a further one than for the first ones', () => {
    const before = known(10_000, over);
    const after = given(before, 'new').tenants['acme']?.runs.parts ?? {};
    const parts = Object.entries(after).filter(([name, part]) => before.tenants['acme']?.runs.parts[name] !== part);
    expect(parts.map(([, part]) => Object.keys(part).length < 100)).toEqual([true]);
    expect(Object.keys(after).length).toBeLessThanOrEqual(256);
    expect(before.tenants['acme']?.over.length).toBeLessThan(100);
  });

  it('counts those that are not over, and forgets the others', () => {
    let shared = over(given(known(3, over), 'x'), 'y');
    expect(shared.tenants['acme']?.runs).toMatchObject({ known: 5, open: 1, giving: 1 });
    for (const { runId } of shared.tenants['acme']?.over.flat() ?? []) {
      shared = evolveShared(shared, sharedEvent('GrantForgotten', { tenant: 'acme', runId }));
    }
    expect(shared.tenants['acme']).toMatchObject({ runs: { known: 1, open: 1, giving: 1 }, over: [] });
  });
});
