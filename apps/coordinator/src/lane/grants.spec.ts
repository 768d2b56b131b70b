import { amountOf, compareAmounts, type Amounts } from '@holdfast/events';
import { Dice } from '../../../../test/support/dice.js';
import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { heard, request } from '../../../../test/support/messages.js';
import { Wired } from '../../../../test/support/wired.js';

const used = (amounts: Amounts) => amountOf(amounts, 'effects');

describe('a budget that several runs live on', () => {
  it('lets nothing begin before its lane has granted it', () => {
    const wired = new Wired().set({ effects: 100 }).submit('r1');
    expect(wired.lanes.runs.commands).toEqual([]);
    expect(wired.lanes.runs.live('r1').waiting?.waitingFor).toBe('a grant of tenant acme');
    wired.deliver();
    expect(wired.lanes.runs.commands).toHaveLength(4);
    expect(used(wired.tenant.committed)).toBe(33);
    wired.finish('r1').deliver();
    expect([wired.end('r1'), used(wired.tenant.committed)]).toEqual(['succeeded: ', 4]);
  });

  it('is asked once for many steps, and at the end for what it really comes to', () => {
    const wired = new Wired(false).set({ effects: 2_000 }).submit('r1', 100).finish('r1').deliver().proven();
    const asks = wired.told.filter(({ ask }) => ask.request.type === 'AskGrant').length;
    expect([wired.end('r1'), asks < 10, used(wired.tenant.committed)]).toEqual(['succeeded: ', true, 100]);
  });

  it('is nothing where nobody has set it', () => {
    const wired = new Wired().submit('r1').deliver();
    expect(wired.end('r1')).toBe('budget_exhausted: tenant acme: tenant acme has no budget; set one first');
  });

  it('ends a run that needs more than is left for good', () => {
    const wired = new Wired().set({ effects: 2 }).submit('r1').finish('r1').deliver();
    expect(wired.end('r1')).toMatch(/^budget_exhausted: tenant acme/);
    expect(used(wired.tenant.committed)).toBe(2);
  });

  it('lets a run wait for what another one may give back', () => {
    const wired = new Wired().set({ effects: 8 }).submit('r1', 2).deliver();
    wired.submit('r2', 7).deliver();
    expect(wired.end('r2')).toBeNull();
    wired.finish('r1').deliver().finish('r2').deliver();
    expect([wired.end('r1'), wired.end('r2')?.split(':')[0], used(wired.tenant.committed)]).toEqual([
      'succeeded: ',
      'budget_exhausted',
      8,
    ]);
  });

  it('does not let two runs wait for each other for ever', () => {
    const wired = new Wired().set({ effects: 4 }).submit('r1', 4).submit('r2', 4);
    for (let round = 0; round < 8; round += 1) wired.finish('r1').finish('r2');
    const ends = [wired.end('r1'), wired.end('r2')].map((end) => end?.split(':')[0]);
    expect(ends).toEqual(['budget_exhausted', 'budget_exhausted']);
    expect(used(wired.tenant.committed)).toBe(4);
  });

  it('is raised while a run waits, and the run goes on', () => {
    const wired = new Wired()
      .set({ effects: 1 })
      .submit('r1', 2, { budget: { onExhausted: 'ask' } })
      .finish('r1');
    const [open] = Object.values(wired.lanes.runs.live('r1').escalations);
    expect(open?.question).toContain('tenant acme');
    wired.set({ effects: 5 }, 'set 2');
    const answer = { requestId: 'a', runId: 'r1', escalation: open?.seq ?? -1, choice: 'raise' as const };
    wired
      .on((lane) => lane.arrive(asked(request('AnswerEscalation', answer))))
      .finish('r1')
      .deliver();
    expect([wired.end('r1'), used(wired.tenant.committed)]).toEqual(['succeeded: ', 2]);
  });

  it('keeps what is in doubt after the end of a run, until that is settled', () => {
    const wired = new Wired().set({ effects: 9 }).submit('r1', 1).deliver();
    wired.on((lane) => lane.claims('r1/f[0].a/0').say('AttemptUnknown', { runId: 'r1', step: 'f[0].a' }));
    wired
      .on((lane) => lane.cancel('r1', 100))
      .tick(5_000)
      .deliver();
    expect([wired.end('r1')?.split(':')[0], used(wired.tenant.committed)]).toEqual(['cancelled', 1]);
    wired.on((lane) => {
      const [known] = lane.live('r1').steps;
      const about = { runId: 'r1', stepId: 'f[0].a', askedAt: lane.clock.now };
      lane.judge(known?.doubt?.seq ?? -1, 'absent', about);
    });
    expect(used(wired.deliver().tenant.committed)).toBe(0);
  });
});

describe('a tenant for whom very many runs wait', () => {
  const waiting = (): LaneHarness => {
    const lane = new LaneHarness().seat();
    const set = (effects: number) =>
      lane.ask('SetTenantBudget', { runId: 'tenant/acme', tenant: 'acme', budget: { effects } });
    set(1);
    const one = { effects: 1 };
    const asks = Array.from({ length: 301 }, (_, index) =>
      asked(
        heard(
          request('AskGrant', { requestId: 'q', runId: `r${index}`, tenant: 'acme', ask: 1, need: one, want: one }),
        ),
      ),
    );
    lane.arrive(...asks);
    lane.holdsAppends = true;
    set(1_000);
    return lane;
  };
  const served = (lane: LaneHarness) =>
    lane.events().flatMap(({ event, lane: { first } }) => (event.type === 'GrantGiven' ? [first] : []));

  it('serves them over several batches', () => {
    const lane = waiting();
    while (lane.pending.length > 0) lane.answer();
    const batches = served(lane);
    expect([batches.length, lane.machine.lane.shared.tenants['acme']?.queue]).toEqual([301, []]);
    const sizes = [...new Set(batches)].map((first) => batches.filter((batch) => batch === first).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(128);
  });

  it('goes on with them when its lane was taken over', () => {
    const former = waiting().answer();
    expect(served(former).length).toBeLessThan(301);
    const next = new LaneHarness({ owner: 'C2', history: former.history, clock: former.clock }).seat();
    expect(served(next)).toHaveLength(301);
  });
});

describe('what lanes ask each other about a grant', () => {
  it('may be told again, late, and after either lane was taken over, at any moment', () => {
    const plain = new Wired(false).set({ effects: 40 }).submit('r1', 6).finish('r1').deliver();
    const messages = plain.told.length;
    for (let at = 0; at < messages; at += 1) {
      for (const place of ['tenant', 'runs'] as const) {
        const wired = new Wired(false).set({ effects: 40 }).submit('r1', 6);
        for (let sent = 0; sent < at; sent += 1) wired.next();
        wired.takeOver(place);
        wired.finish('r1').deliver();
        for (const message of wired.told.slice()) wired.again(message);
        wired.deliver();
        expect([at, place, wired.end('r1'), used(wired.tenant.committed)]).toEqual([at, place, 'succeeded: ', 6]);
      }
    }
  });

  it('grants nothing to a run that is over, in whatever order it comes', () => {
    const wired = new Wired(false).set({ effects: 40 }).submit('r1', 6);
    wired.on((lane) => lane.cancel('r1', 0)).tick(1);
    while (wired.way.length > 0) wired.next(wired.way.length - 1);
    expect([wired.end('r1')?.split(':')[0], used(wired.tenant.committed)]).toEqual(['cancelled', 0]);
    expect(wired.lanes.runs.commands).toEqual([]);
    wired.tick(21 * 60_000);
    expect(wired.tenant.runs).toMatchObject({ known: 0, open: 0, giving: 0 });
    const [ask] = wired.told;
    if (ask !== undefined) wired.lanes.tenant.arrive(asked(heard(ask.ask.request)));
    expect(wired.tenant.runs).toMatchObject({ known: 0, open: 0, giving: 0 });
  });

  it('is asked again when no answer comes', () => {
    const wired = new Wired(false).set({ effects: 40 }).submit('r1', 1);
    wired.way.length = 0;
    wired
      .tick(5 * 60_000)
      .finish('r1')
      .deliver();
    expect([wired.end('r1'), used(wired.tenant.committed)]).toEqual(['succeeded: ', 1]);
  });

  it('never adds up to more than the tenant may use, whatever is lost, repeated or late', () => {
    for (let seed = 1; seed <= 25; seed += 1) {
      const dice = new Dice(seed);
      const wired = new Wired(false).set({ effects: 12 });
      const runs = ['r1', 'r2', 'r3'];
      for (const runId of runs) wired.submit(runId, 2 + dice.roll(6));
      for (let round = 0; round < 60; round += 1) {
        act(wired, dice, runs);
        expect(compareAmounts('effects', used(wired.tenant.committed), 12)).toBeLessThanOrEqual(0);
      }
      for (const runId of [...runs, ...runs, ...runs]) wired.tick(300).finish(runId);
      wired.deliver().proven();
      expect([seed, ...runs.map((runId) => wired.lanes.runs.run(runId).status)]).toEqual([
        seed,
        'ended',
        'ended',
        'ended',
      ]);
      const total = runs.reduce((sum, runId) => sum + Number(used(billOf(wired, runId))), 0);
      expect([seed, used(wired.tenant.committed)]).toEqual([seed, total]);
    }
  });
});

const billOf = (wired: Wired, runId: string): Amounts => {
  const run = wired.lanes.runs.run(runId);
  return run.status === 'ended' ? (run.bill?.spent ?? {}) : run.spent;
};

const act = (wired: Wired, dice: Dice, runs: readonly string[]): void => {
  const move = dice.roll(10);
  if (move < 4) return void wired.next(dice.roll(Math.max(1, wired.way.length)));
  if (move === 4) return void wired.takeOver(dice.roll(2) === 0 ? 'tenant' : 'runs');
  if (move === 5 && wired.told.length > 0) {
    const message = dice.pick(wired.told);
    return message === undefined ? undefined : void wired.again(message);
  }
  const runId = runs[dice.roll(runs.length)] ?? 'r1';
  const run = wired.lanes.runs.run(runId);
  if (run.status === 'ended' || run.steps.length === 0) return;
  const open = dice.pick(run.steps);
  const attempt = open?.attempts[0];
  if (open === undefined || attempt === undefined) return;
  const who = { runId, step: open.stepId, attempt: attempt.attempt };
  wired.on((lane) =>
    lane
      .claims(`${runId}/${open.stepId}/${attempt.attempt}`)
      .say(move === 6 ? 'AttemptSkipped' : 'AttemptSucceeded', who),
  );
  if (move === 6) wired.tick(300);
};
