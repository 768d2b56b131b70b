import { routes, type StepView, type TurnView } from '@holdfast/api';
import { effect, plan, step } from './support/plans.js';
import { WAIT, as, asked, ended, gateway, submit, sums, throughAGateway, world } from './support/through-gateway.js';

throughAGateway();

describe('a run', () => {
  it('is submitted once under its id, and shown with all that belongs to it', async () => {
    const requestId = 'once';
    const runId = await submit('sums', sums, { labels: { team: 'shop' }, requestId });
    const again = await gateway.get(routes.submitRun, {
      body: { runId, program: sums, input: { run: runId, numbers: [1, 2] }, labels: { team: 'shop' }, waitMs: WAIT },
      headers: { 'idempotency-key': requestId, ...as('ann') },
    });
    expect(again).toMatchObject({ requestId, runId });
    const run = await ended(runId);
    expect(run).toMatchObject({ reason: 'succeeded', output: 4, principal: 'ann', labels: { team: 'shop' } });
    expect(run).toMatchObject({ stepsSucceeded: 2, program: sums, report: { stepsSucceeded: 2 }, children: [] });
    expect(run.requestId).toBe(requestId);

    const history = await gateway.get(routes.getHistory, { params: { runId }, query: { limit: 100 } });
    expect(history.items.map(({ type }) => type)).toEqual((await world.runs.history(runId)).types());
    expect(history.items[0]?.words).toContain('The run was accepted from ann');
    const back = await gateway.get(routes.getHistory, { params: { runId }, query: { order: 'desc', limit: 1 } });
    expect(back.items.map(({ type }) => type)).toEqual(['RunEnded']);
    const from = history.items[2]?.seq ?? 0;
    const around = async (order: 'asc' | 'desc') =>
      (await gateway.get(routes.getHistory, { params: { runId }, query: { order, from, limit: 2 } })).items;
    expect((await around('asc')).map(({ seq }) => seq)).toEqual(history.items.slice(2, 4).map(({ seq }) => seq));
    expect((await around('desc')).map(({ seq }) => seq)).toEqual([history.items[2]?.seq, history.items[1]?.seq]);
    const found = await gateway.get(routes.getHistory, {
      params: { runId },
      query: { type: ['StepScheduled', 'StepSucceeded'], step: 'twice', text: 'twice' },
    });
    expect(found.items.map(({ type }) => type)).toEqual(['StepScheduled', 'StepSucceeded']);

    const steps = await gateway.all<StepView>(routes.listSteps, { params: { runId } }, 1);
    expect(steps).toMatchObject([
      { stepId: 'first', tool: 'add@1', policy: 'pure', status: 'succeeded' },
      { stepId: 'twice', status: 'succeeded' },
    ]);
    const twice = await gateway.get(routes.getStep, { params: { runId, stepId: 'twice' } });
    expect(twice).toMatchObject({ args: { numbers: [3, 1] }, result: { sum: 4 } });
    const attempts = await gateway.get(routes.listAttempts, { params: { runId }, query: { step: 'first' } });
    expect(attempts.items).toMatchObject([{ stepId: 'first', attempt: 0, status: 'succeeded' }]);
    expect((await gateway.get(routes.listEffects, { params: { runId } })).items).toEqual([]);
    const budgets = await gateway.get(routes.getBudgets, { params: { runId } });
    expect(budgets.gauges.find(({ kind }) => kind === 'steps')).toMatchObject({ used: '2' });
  });

  it('shows what its agents did, turn by turn', async () => {
    const agent = { instructions: 'add', task: 'Add 3 and 4', model: 'clerk@1', tools: [{ tool: 'add@1' }] };
    const runId = await submit('agent', { kind: 'agent', ...agent } as never);
    expect(await ended(runId)).toMatchObject({ reason: 'succeeded', output: '{"sum":7}' });
    const asking = { params: { runId } };
    const turns = await gateway.all<TurnView>(routes.listTurns, asking, 1);
    expect(turns).toMatchObject([
      { agent: 'agent', turn: 0, did: 'called', calls: [{ name: 'add', became: 'succeeded', said: { sum: 7 } }] },
      { agent: 'agent', turn: 1, did: 'answered', answer: '{"sum":7}' },
    ]);
    expect((await gateway.get(routes.listTurns, { ...asking, query: { agent: 'other' } })).items).toEqual([]);
  });

  it('is shown as it was after any of its events', async () => {
    const runId = await submit('sums', sums);
    const { seq: last } = await ended(runId);
    const scheduled = await gateway.get(routes.getHistory, { params: { runId }, query: { type: 'StepScheduled' } });
    const seq = scheduled.items[0]?.seq ?? 0;
    const state = await gateway.get(routes.getState, { params: { runId }, query: { seq } });
    expect(state).toMatchObject({ seq, state: { status: 'running', steps: [{ stepId: 'first' }] } });
    const now = await gateway.get(routes.getState, { params: { runId } });
    expect(now).toMatchObject({ seq: last, state: { status: 'ended' } });
    const before = await gateway.problem(routes.getState, { params: { runId }, query: { seq: 0 } });
    expect(before).toMatchObject({ status: 404, code: 'unknown_event' });
    const explained = await gateway.get(routes.explainRun, { params: { runId } });
    expect(explained.seq).toBe(last);
    expect(explained.parts.map(({ about }) => about)).toEqual([
      'moving',
      'effects',
      'cost',
      'cancel',
      'resume',
      'repeat',
    ]);
  });

  it('that nobody knows is a problem wherever it is asked for', async () => {
    const params = { runId: 'nobody', stepId: 's' };
    const ofRun = Object.values(routes).filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/runs/{'));
    expect(ofRun).toHaveLength(12);
    for (const route of ofRun) {
      expect(await gateway.problem(route, { params })).toMatchObject({ status: 404, code: 'unknown_run' });
    }
    const runId = await submit('sums', sums);
    await ended(runId);
    const step = await gateway.problem(routes.getStep, { params: { runId, stepId: 'third' } });
    expect(step).toMatchObject({ status: 404, code: 'unknown_step' });
  });

  it('is asked to pause, go on, change and stop', async () => {
    const runId = await asked('steered');
    const params = { runId };
    const body = { reason: 'lunch', waitMs: WAIT };
    expect(await gateway.get(routes.pauseRun, { params, body, headers: as('ann') })).toMatchObject({
      outcome: 'accepted',
    });
    expect(await gateway.get(routes.pauseRun, { params, body })).toMatchObject({ outcome: 'unchanged' });
    const paused = await gateway.until(routes.getRun, { params }, ({ status }) => status === 'paused');
    expect(paused.paused).toMatchObject({ reason: 'lunch', by: 'ann' });
    await gateway.get(routes.resumeRun, { params, body: { waitMs: WAIT } });
    await gateway.get(routes.steerRun, { params, body: { deadlineMs: 1_000_000, waitMs: WAIT } });
    expect(await gateway.problem(routes.steerRun, { params, body: {} })).toMatchObject({ status: 400 });
    await gateway.get(routes.cancelRun, {
      params,
      body: { reason: 'sold', mode: 'drain', waitMs: WAIT },
      headers: as('bob'),
    });
    expect(await ended(runId)).toMatchObject({ reason: 'cancelled' });
    const late = await gateway.problem(routes.resumeRun, { params, body: { waitMs: WAIT } });
    expect(late).toMatchObject({ status: 409, code: 'run_ended' });
    const killed = await asked('killed');
    await gateway.get(routes.killRun, { params: { runId: killed }, body: { waitMs: WAIT } });
    await ended(killed);
    const unknown = await gateway.problem(routes.killRun, { params: { runId: 'nobody' }, body: { waitMs: WAIT } });
    expect(unknown).toMatchObject({ status: 404, code: 'unknown_run' });
  });

  it('waits for something from outside, and gets it as a signal for its step', async () => {
    const runId = await asked('signalled');
    const params = { runId, stepId: 'q' };
    const wrong = await gateway.problem(routes.signalStep, { params, body: { value: { limit: 'x' }, waitMs: WAIT } });
    expect(wrong).toMatchObject({ status: 422, code: 'answer_wrong' });
    const body = { value: { limit: 3 }, requestId: 'signal', waitMs: WAIT };
    expect(await gateway.get(routes.signalStep, { params, body })).toMatchObject({ outcome: 'accepted' });
    expect(await ended(runId)).toMatchObject({ reason: 'succeeded', output: { limit: 3 } });
    const again = await gateway.get(routes.signalStep, { params, body });
    expect(['accepted', 'unchanged']).toContain(again.outcome);
    const late = await gateway.problem(routes.signalStep, { params, body: { value: { limit: 4 }, waitMs: WAIT } });
    expect(late).toMatchObject({ status: 409, code: 'already_answered' });
  });

  it('of a program that cannot be is refused with all that is wrong about it', async () => {
    const body = { runId: 'wrong', program: plan([step('a', 'walk', {}), step('a', 'add', {})]), waitMs: WAIT };
    const refused = await gateway.problem(routes.submitRun, { body });
    expect(refused).toMatchObject({ status: 422, code: 'invalid_program' });
    expect(JSON.stringify(refused.details)).toContain('walk');
  });

  it('is in the log and pending where nobody waits for the answer', async () => {
    const runId = await world.runs.id('pending');
    const { status, body, headers } = await gateway.ask(routes.submitRun, {
      body: { runId, program: sums, input: { numbers: [] } },
    });
    expect([status, body]).toEqual([202, { requestId: expect.any(String) as string, runId, outcome: 'pending' }]);
    expect(headers.get('location')).toBe(`/v1/runs/${runId}`);
    await ended(runId);
  });
});

describe('a run that has failed', () => {
  it('is forked: what is done is taken over, and no effect is repeated that nobody has named', async () => {
    const failing = plan([
      effect('post', 'a'),
      effect('draft', 'b', { after: ['a'], conduct: ['refuse'], retry: { triesMax: 1, backoffMs: 50 } }),
    ]);
    const runId = await submit('failing', failing);
    const params = { runId };
    expect(await ended(runId)).toMatchObject({ reason: 'failed', effectsApplied: 1 });
    expect(await gateway.get(routes.planFork, { params })).toMatchObject({ from: null, kept: ['a'], refused: null });
    const fromA = await gateway.get(routes.planFork, { params, query: { from: 'a' } });
    expect(fromA).toMatchObject({
      kept: [],
      refused: null,
      again: [{ stepId: 'a', repeat: 'ask', effect: 'applied' }, {}],
    });
    const nowhere = await gateway.get(routes.planFork, { params, query: { from: 'z' } });
    expect(nowhere.refused).toContain('has never come to a step z');

    const silent = await gateway.problem(routes.forkRun, {
      params,
      body: { runId: `${runId}-2`, from: 'a', waitMs: WAIT },
    });
    expect(silent).toMatchObject({
      status: 409,
      code: 'fork_refused',
      details: { asks: [{ stepId: 'a' }], asksTotal: 1 },
    });
    const forked = `${runId}-3`;
    await gateway.get(routes.forkRun, { params, body: { runId: forked, waitMs: WAIT }, headers: as('ann') });
    expect(await ended(forked)).toMatchObject({ reason: 'failed', principal: 'ann' });
    expect(world.ledger.entries(`${runId}/a`)).toHaveLength(1);
    const named = { runId: `${runId}-4`, from: 'a', repeat: ['a'], waitMs: WAIT };
    await gateway.get(routes.forkRun, { params, body: named });
    await ended(named.runId);
    expect(world.ledger.entries(`${runId}/a`)).toHaveLength(2);
  });
});

describe('what became of an effect', () => {
  it('is asked and answered in the inbox, and kept in the ledger', async () => {
    const act = effect('post', 'act', { conduct: ['apply-drop', 'ok'], timeoutMs: 1_500 });
    const runId = await submit('doubtful', plan([act]));
    const inbox = await gateway.until(routes.listQuestions, { query: { status: 'open' } }, ({ items }) =>
      items.some((item) => item.runId === runId),
    );
    const question = inbox.items.find((item) => item.runId === runId);
    expect(question).toMatchObject({ stepId: 'act', kind: 'doubt', status: 'open' });
    const open = await gateway.get(routes.listDoubts, { query: { run: runId, open: true } });
    expect(open.items).toMatchObject([{ runId, stepId: 'act', tool: 'post@1', endedAt: null }]);
    expect((await gateway.get(routes.getCounters)).questionsOpen).toBeGreaterThan(0);
    const recovering = await gateway.get(routes.listRuns, { query: { text: runId } });
    expect(recovering.items).toMatchObject([{ runId, doubtsOpen: 1, questionsOpen: 1 }]);
    const answer = { escalation: question?.seq, choice: 'applied', result: { receipt: 5 }, note: 'seen' };
    const body = { ...answer, waitMs: WAIT };
    expect(await gateway.get(routes.answerQuestion, { params: { runId }, body, headers: as('eve') })).toMatchObject({
      outcome: 'accepted',
    });
    expect(await ended(runId)).toMatchObject({ reason: 'succeeded', effectsApplied: 1 });
    const ledger = await gateway.get(routes.listEffects, { params: { runId }, query: { effect: 'applied' } });
    expect(ledger.items).toMatchObject([{ stepId: 'act', effect: 'applied' }]);
    const answered = await gateway.get(routes.listQuestions, { query: { run: runId } });
    expect(answered.items).toMatchObject([{ status: 'answered', choice: 'applied', answeredBy: 'eve', note: 'seen' }]);
    expect((await gateway.get(routes.listDoubts, { query: { open: true, run: runId } })).items).toEqual([]);
  });
});
