import { decode, encode, requestKind } from '@holdfast/contracts';
import { amountOf, evolve, limitsOf, openStep, type RunEvent, type RunState } from '@holdfast/events';
import type { Budget, Json } from '@holdfast/programs';
import { verdict } from '../support/messages.js';
import { SeveralLanes } from '../support/several-lanes.js';
import { forEach, planOf, runOf, step } from '../support/plans.js';
import { answer, endOf, leading, tools, turns, type Call } from './support/priced.js';

const usd = (amount: string): Budget => ({ money: { amount, currency: 'USD' } });

describe('case 49: a limit that is reached while the loop goes on', () => {
  const loop = turns(...Array.from({ length: 15 }, (_, page): Call => ['model', { page }]));
  const play = (killAfter: number | null) => {
    let lane = leading().submit(loop, { budget: { calls: { model: 10 }, onExhausted: 'ask' } });
    for (let made = 0; made < lane.commands.length && made < 20; made += 1) {
      const [, step = '', attempt = '0'] = (lane.commands[made] ?? '').split('/');
      lane.claims(lane.commands[made] ?? '', `S${made}`);
      if (made === killAfter) {
        lane.dies(`S${made}`);
        continue;
      }
      lane.say('AttemptSucceeded', { step, attempt: Number(attempt), session: `S${made}` });
    }
    const asked = lane.told.filter((told) => told.startsWith('EscalationOpened')).length;
    const made = lane.commands.length;
    lane = answer(lane, 'end');
    return [made, asked, endOf(lane)];
  };

  it('is ten calls over all attempts, asks once, and is the reason of the end', () => {
    const reason = 'budget_exhausted: calls:model 10/10, 1 calls of model@1 more wanted at step';
    expect(play(null)).toEqual([10, 1, `${reason} t11`]);
    expect(play(9)).toEqual([10, 1, `${reason} t10`]);
  });
});

describe('case 50: two tools that take turns', () => {
  const made = (calls: readonly Call[], result: (at: number) => Json) => {
    const lane = leading().submit(turns(...calls), { loops: { repeatsMax: 6 } });
    let count = 0;
    for (; count < lane.commands.length; count += 1) {
      const step = `t${count + 1}`;
      lane.claims(`run-1/${step}/0`).say('AttemptSucceeded', { step }, { result: result(count) as string });
    }
    return [count, endOf(lane)] as const;
  };
  const round = (...names: readonly string[]): readonly Call[] =>
    Array.from({ length: 40 }, (_, at) => [names[at % names.length] ?? '', { n: 1 }]);

  it.each([
    ['two in turn', round('model', 'search'), 'equal'],
    ['an empty list again and again', round('search'), []],
    ['a ring of three', round('model', 'search', 'verifiable'), 'equal'],
  ] as const)('stops the run by the twelfth call, with the pattern as the reason: %s', (_, calls, result) => {
    const [count, reason] = made(calls, () => result as unknown as Json);
    expect(count).toBeLessThanOrEqual(12);
    expect(reason).toMatch(/^looping: 6 calls brought nothing new: .*search@1.* again and again$/);
  });

  it('does not stop honest work', () => {
    const pages = Array.from({ length: 40 }, (_, page): Call => ['search', { page }]);
    expect(made(pages, (page) => ({ page }))[0]).toBe(40);
  });
});

describe('case 51: five children that pass the same check', () => {
  const child = planOf(step('c', 'verifiable')) as unknown as Json;
  const mission = planOf(step('spend', 'estimate'), {
    ...forEach('each', [1, 2, 3, 4, 5], runOf('child', child, { budget: usd('2.00') })),
    after: ['spend'],
  });
  const start = (spent: string) => {
    const lanes = new SeveralLanes(3, {}, tools).submit(mission, { runId: 'p', budget: usd('10.00') });
    lanes.say('p', 'AttemptSucceeded', { used: { 'money:USD': spent } }).calm();
    return lanes;
  };
  const children = (lanes: SeveralLanes) => lanes.runs.filter(({ runId }) => runId.startsWith('p~')).length;

  it('begins none where nothing is left for one', () => {
    const lanes = start('9.90');
    expect([children(lanes), lanes.run('p')?.end?.reason]).toEqual([0, 'budget_exhausted']);
  });

  it('begins two where two fit, and never spends more', () => {
    const lanes = start('5.90');
    expect(children(lanes)).toBe(2);
    expect(amountOf(lanes.live('p')?.spent ?? {}, 'money:USD')).toBe('9.9');
    const [one, other] = lanes.runs.flatMap(({ runId }) => (runId.startsWith('p~') ? [runId] : []));
    // The worker of one of them dies; what its parent had reserved for it is settled when it is over, once.
    lanes
      .at(one ?? '')
      .claims(`${one}/c/0`, 'S9')
      .dies('S9');
    lanes.tick(2_000);
    const doubt = openStep(lanes.live(one ?? ''), 'c')?.doubt?.seq ?? -1;
    const about = { runId: one ?? '', stepId: 'c', attemptId: `${one}/c/0`, askedAt: lanes.clock.now };
    lanes.put(lanes.laneOf(one ?? ''), { kind: 'verdict', verdict: verdict(doubt, 'absent', about) });
    lanes
      .tick(2_000)
      .work(one ?? '')
      .calm()
      .work(other ?? '')
      .calm();
    expect(children(lanes)).toBe(4);
    expect(amountOf(lanes.live('p')?.spent ?? {}, 'money:USD')).toBe('9.9');
    for (let round = 0; round < 4; round += 1) {
      for (const { runId } of lanes.runs) lanes.work(runId);
      lanes.calm();
    }
    const end = lanes
      .at('p')
      .events()
      .findLast(({ event, subject }) => subject === 'p' && event.type === 'RunEnded')?.event.data;
    expect(end).toMatchObject({ reason: 'succeeded', spent: { 'money:USD': '5.9', children: 5, effects: 5 } });
  });
});

describe('case 52: nothing left that is read as no limit', () => {
  const outer = { version: 1, id: 'i', source: 's', subject: null, time: '', principal: null };
  const read = (steps: unknown) => {
    const data = { requestId: 'q', runId: 'r', program: {}, budget: { steps } };
    return decode(requestKind, encode({ ...outer, type: 'SubmitRun', data }));
  };

  it.each([-1, '0', 'abc', '', 9_007_199_254_740_992, 1.5, [], {}])(
    'refuses %j with the name of the field',
    (steps) => {
      const decoded = read(steps);
      expect(decoded).toMatchObject({ ok: false, problem: expect.stringContaining('budget.steps') });
    },
  );

  it('refuses what JSON can not even hold', () => {
    const text = new TextDecoder().decode(
      encode({ ...outer, type: 'SubmitRun', data: { requestId: 'q', runId: 'r', program: {}, budget: { steps: 1 } } }),
    );
    const huge = decode(requestKind, new TextEncoder().encode(text.replace('"steps":1', '"steps":1e309')));
    expect(huge).toMatchObject({ ok: false, problem: expect.stringContaining('budget.steps') });
    // NaN is written as null, and null is the default.
    expect(read(Number.NaN)).toMatchObject({ ok: true, message: { data: { budget: { steps: null } } } });
    expect(limitsOf({ steps: null })).toEqual(limitsOf());
    expect(limitsOf().amounts['steps']).toBe(1_000_000);
  });

  it('makes no call where the limit is zero, also in a child to which nothing is left', () => {
    const lane = leading().submit(turns(['model', {}]), { budget: { calls: 0 } });
    expect([lane.commands, endOf(lane)?.split(':')[0]]).toEqual([[], 'budget_exhausted']);
    const child = turns(['model', {}]) as unknown as Json;
    const plan = planOf(step('first', 'verifiable'), { ...runOf('child', child), after: ['first'] });
    const lanes = new SeveralLanes(2, {}, tools).submit(plan, { runId: 'p', budget: { calls: 1 } });
    lanes.work('p').calm();
    const asked = lanes.places.flatMap(({ harness }) => harness.commands);
    expect(asked).toEqual(['p/first/0']);
    expect(lanes.run('p~child')?.end?.reason).toBe('budget_exhausted');
    expect(
      lanes
        .at('p')
        .events()
        .find(({ event, subject }) => subject === 'p' && event.type === 'RunEnded')?.event.data,
    ).toMatchObject({
      reason: 'failed',
      detail: expect.stringContaining('calls 0/0'),
    });
  });
});

describe('case 53: a counter that starts again after a resume', () => {
  const budget: Budget = { calls: 12, tokensIn: 20_000, ...usd('2.00'), idleMs: 3_600_000 };
  const used = { tokensIn: 100, 'money:USD': '0.01' };
  const say = (lane: ReturnType<typeof leading>, nth: number) =>
    lane.claims(`run-1/t${nth}/0`, 'S', 1e15).say('AttemptSucceeded', { step: `t${nth}` }, { used });
  const plan = () => {
    const calls = turns(...Array.from({ length: 15 }, (_, page): Call => ['model', { page }]));
    const steps = calls.steps.map((node) => (node.id === 't11' ? { ...node, after: ['leave'] } : node));
    return planOf(...steps, { id: 'leave', ask: { question: 'Go on?', choices: ['yes', 'no'] }, after: ['t10'] });
  };

  it('counts on over a death, a question that is open for long, and another owner of the lane', () => {
    let lane = leading({ settings: { escalationMs: 7_200_000, runMs: 20_000_000 } }).submit(plan(), { budget });
    for (let nth = 1; nth <= 9; nth += 1) say(lane, nth);
    lane.claims('run-1/t10/0', 'S9').dies('S9');
    lane.claims('run-1/t10/1', 'S10', 1e15);
    lane.say('AttemptSucceeded', { step: 't10', attempt: 1, session: 'S10' }, { used });
    lane.tick(7_000_000);
    expect(endOf(lane)).toBeNull();
    lane.unseat();
    lane = leading({ owner: 'C2', history: lane.history, clock: lane.clock });
    answer(lane, 'yes');
    say(lane, 11);
    const calls = new Set(
      lane
        .events()
        .flatMap(({ event }) => (event.type === 'StepScheduled' ? [`${event.data.stepId}/${event.data.attempt}`] : [])),
    );
    expect([calls.size, endOf(lane)]).toEqual([
      12,
      'budget_exhausted: calls 12/12, 1 calls of model@1 more wanted at step t12',
    ]);
  });

  it('is rebuilt from a history that knows of no limits', () => {
    const lane = leading().submit(turns(['model', { page: 1 }], ['model', { page: 2 }]), { budget });
    say(lane, 1);
    const told = lane.events().flatMap(({ event, subject }) => (subject === null ? [] : [event]));
    const older = told.map((event) => {
      if (event.type !== 'RunAccepted') return event;
      const { limits: _, ...data } = event.data;
      return { ...event, data };
    }) as RunEvent[];
    const run = older.reduce<RunState | undefined>((state, event, seq) => evolve(state, event, seq), undefined);
    expect(run).toMatchObject({ spent: { steps: 2, 'calls:model@1': 2 }, budget: { limits: null } });
  });
});

describe('case 57: a stop that is true while work goes on, and an end without a reason', () => {
  it('is looked at before any call of the turn that it forbids', () => {
    const four = turns(...Array.from({ length: 4 }, (_, page): Call => ['model', { page }]));
    const plan = planOf(
      ...four.steps,
      step('look', 'search', { after: ['t4'] }),
      step('z-1', 'once', { after: ['t4'] }),
    );
    const lane = leading().submit(plan, { budget: { calls: 4 } });
    for (let nth = 1; nth <= 4; nth += 1) lane.claims(`run-1/t${nth}/0`).say('AttemptSucceeded', { step: `t${nth}` });
    expect(lane.commands.filter((id) => !id.includes('/t'))).toEqual([]);
    expect(endOf(lane)).toBe('budget_exhausted: calls 4/4, 1 calls of search@1 more wanted at step look');
  });

  it('has a reason and a cause for each way to end', () => {
    const one = turns(['model', {}]);
    const ended = (play: (lane: ReturnType<typeof leading>) => unknown, more: object = {}) => {
      const lane = leading().submit(one, more);
      play(lane);
      const end = lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event;
      return end?.type === 'RunEnded' ? [end.data.reason, end.data.cause?.kind, end.data.detail !== ''] : null;
    };
    const failure = { code: 'http_402', message: 'out of credit' };
    expect(ended((lane) => lane.claims('run-1/t1/0').say('AttemptSucceeded', { step: 't1' }))).toEqual([
      'succeeded',
      'plan',
      false,
    ]);
    expect(
      ended((lane) => lane.claims('run-1/t1/0').say('AttemptFailed', { step: 't1' }, { failure, retry: 'never' })),
    ).toEqual(['failed', 'step', true]);
    expect(ended(() => undefined, { budget: { steps: 0 } })).toEqual(['budget_exhausted', 'budget', true]);
    expect(ended((lane) => lane.cancel().closed('run-1/t1/0'))).toEqual(['cancelled', 'cancel', true]);
    expect(ended((lane) => lane.tick(100), { deadlineMs: 100 })).toEqual(['deadline_exceeded', 'deadline', true]);
    expect(ended((lane) => lane.tick(200_000), { budget: { steps: 0, onExhausted: 'ask' } })).toEqual([
      'escalation_expired',
      'escalation',
      true,
    ]);
  });
});
