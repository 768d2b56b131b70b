import { routes, type ProjectionView, type RunSummary, type ToolView } from '@holdfast/api';
import { put } from './support/topics.js';
import { WAIT, as, asks, gateway, throughAGateway, world } from './support/through-gateway.js';

throughAGateway();

describe('many runs', () => {
  const team = { labels: { crowd: 'yes' } };
  let ids: readonly string[];
  beforeAll(async () => {
    ids = await world.runs.ids('crowd', 230);
    await Promise.all(ids.map((runId) => world.runs.submit(runId, asks, team)));
    await gateway.until(
      routes.listRuns,
      { query: { label: 'crowd=yes', limit: 1, status: 'waiting', text: ids.at(-1) ?? '' } },
      ({ items }) => items.length === 1,
    );
    await gateway.until(routes.getCounters, {}, ({ runs }) => (runs['waiting'] ?? 0) >= 230);
  });

  it('are gone through page by page, each once, the latest first', async () => {
    const all = await gateway.all<RunSummary>(routes.listRuns, { query: { label: 'crowd=yes' } }, 17);
    expect(all.map(({ runId }) => runId).toSorted()).toEqual([...ids].toSorted());
    const times = all.map(({ acceptedAt }) => acceptedAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const [newest, ...others] = all;
    const from = newest?.acceptedAt ?? 0;
    const recent = await gateway.get(routes.listRuns, { query: { label: 'crowd=yes', acceptedFrom: from } });
    expect(recent.items[0]?.runId).toBe(newest?.runId);
    const to = others.at(-1)?.acceptedAt ?? 0;
    const oldest = await gateway.get(routes.listRuns, { query: { label: 'crowd=yes', acceptedTo: to, reason: [] } });
    expect(oldest.items.at(-1)?.runId).toBe(others.at(-1)?.runId);
  });

  it('cannot be gone through with the cursor of another list', async () => {
    const first = await gateway.get(routes.listRuns, { query: { label: 'crowd=yes', limit: 5 } });
    const cursor = first.next ?? '';
    const other = await gateway.problem(routes.listRuns, { query: { label: 'crowd=no', cursor } });
    expect(other).toMatchObject({ status: 400, errors: [{ at: 'query.cursor' }] });
    const changed = await gateway.problem(routes.listQuestions, { query: { cursor } });
    expect(changed).toMatchObject({ status: 400, errors: [{ at: 'query.cursor' }] });
  });

  it('are cancelled by a label, once however often it is asked for', async () => {
    const body = { labels: { crowd: 'yes' }, requestId: 'bulk', reason: 'sold', waitMs: WAIT };
    const first = await gateway.get(routes.cancelRuns, { body });
    const runs = first.answers.map(({ details }) => (details as { runs: number }).runs);
    expect(runs.reduce((sum, one) => sum + one, 0)).toBe(230);
    await gateway.get(routes.cancelRuns, { body });
    const query = { label: 'crowd=yes', status: 'ended', reason: 'cancelled' };
    const over = async () => (await gateway.all<RunSummary>(routes.listRuns, { query }, 200)).length;
    await gateway.until(
      routes.listRuns,
      { query: { label: 'crowd=yes', status: ['waiting', 'cancelling', 'running'] } },
      ({ items }) => items.length === 0,
    );
    expect(await over()).toBe(230);
  });
});

describe('what is behind the runs', () => {
  it('is shown: executors, lanes, projections, health, the document', async () => {
    const { items } = await gateway.until(routes.listExecutors, {}, (said) => said.items.length > 0);
    expect(items[0]).toMatchObject({ alive: true, queues: [{ queue: 'default' }] });
    expect(items[0]?.tools).toContain('add@1');
    const tools = await gateway.all<ToolView>(routes.listTools, {}, 7);
    expect(tools.map(({ tool }) => tool)).toEqual([...(items[0]?.tools ?? [])].toSorted());
    expect(new Set(tools.map(({ served }) => served))).toEqual(new Set([true]));
    const [add] = await gateway.all<ToolView>(routes.listTools, { query: { text: 'ADD@' } });
    expect(add).toMatchObject({ tool: 'add@1', policy: 'pure', inputSchema: { required: ['numbers'] } });
    expect((await gateway.get(routes.listTools, { query: { tool: 'add' } })).items).toEqual([]);
    const { items: lanes } = await gateway.until(routes.listLanes, {}, (said) =>
      said.items.every(
        ({ lagRecords, owner, ownerBeatAt }) => lagRecords === 0 && owner !== null && ownerBeatAt !== null,
      ),
    );
    expect(lanes.map(({ lane }) => lane)).toEqual([0, 1, 2, 3]);
    expect(lanes[0]).toMatchObject({ epoch: 1, requestsWaiting: 0, lagMs: 0, broken: null });
    const projections = await gateway.get(routes.listProjections);
    expect(projections.items.filter(({ source }) => source === world.names.history)).toHaveLength(4);
    expect(await gateway.get(routes.getHealth)).toMatchObject({ ready: true, lanes: 4, namespace: world.namespace });
    expect(await gateway.get(routes.getOpenApi)).toMatchObject({ openapi: '3.1.0' });
  });

  it('is made anew out of the log when somebody wants it', async () => {
    const before = await gateway.all<RunSummary>(routes.listRuns, {}, 200);
    expect(before.length).toBeGreaterThan(0);
    expect(await gateway.get(routes.rebuildProjections)).toEqual({ outcome: 'begun', lanes: 4 });
    await gateway.until(routes.getCounters, {}, ({ runs }) => {
      const all = Object.values(runs).reduce((sum, one) => sum + one, 0);
      return all === before.length;
    });
    const isBehind = ({ source, lagRecords }: ProjectionView) => source === world.names.history && lagRecords > 0;
    await gateway.until(routes.listProjections, {}, ({ items }) => !items.some(isBehind));
    expect(await gateway.all<RunSummary>(routes.listRuns, {}, 200)).toEqual(before);
    const { shadow } = await gateway.get(routes.listProjections);
    expect(shadow).toMatchObject({ differs: null });
  });

  it('holds the budgets of tenants', async () => {
    const params = { tenant: 'acme' };
    const none = await gateway.problem(routes.getTenantBudget, { params });
    expect(none).toMatchObject({ status: 404, code: 'unknown_tenant' });
    const body = { budget: { effects: 10, money: { amount: '2.50', currency: 'EUR' } }, waitMs: WAIT };
    await gateway.get(routes.setTenantBudget, { params, body });
    const { gauges } = await gateway.until(routes.getTenantBudget, { params }, (said) => said.gauges.length > 0);
    expect(gauges.find(({ kind }) => kind === 'effects')).toMatchObject({ used: '0', limit: '10', left: '10' });
  });

  it('keeps what nobody could read, shows it, and sends requests again as they were', async () => {
    const value = '{"half": ';
    await put(world.log, { topic: world.names.requests, partition: 2 }, { key: 'bad', value });
    const { items } = await gateway.until(routes.listDeadLetters, {}, (said) => said.items.length > 0);
    const [letter] = items;
    expect(letter).toMatchObject({
      topic: world.names.requests,
      partition: 2,
      code: 'not_json',
      key: 'bad',
      sentAgain: 0,
    });
    const [partition, offset] = (letter?.id ?? '').split('/');
    const params = { partition: partition ?? '', offset: offset ?? '' };
    const whole = await gateway.get(routes.getDeadLetter, { params });
    expect(whole.value).toEqual({ encoding: 'utf8', text: value });
    const sent = await gateway.get(routes.sendAgain, { params, body: {}, headers: as('ann') });
    expect(sent).toMatchObject({ topic: world.names.requests, partition: 2, sentAgainBy: 'ann', answer: null });
    await gateway.until(routes.getDeadLetter, { params }, ({ sentAgain }) => sentAgain === 1);
    const query = { topic: world.names.requests, limit: 1 };
    const all = await gateway.all<{ bytes: number }>(routes.listDeadLetters, { query }, 1);
    expect(all.every(({ bytes }) => bytes === value.length)).toBe(true);
    const unknown = await gateway.problem(routes.getDeadLetter, { params: { partition: 0, offset: 999 } });
    expect(unknown).toMatchObject({ status: 404, code: 'unknown_dead_letter' });
  });

  it('is not sent again where repeats are not known', async () => {
    await put(world.log, { topic: world.names.journal, partition: 1 }, { value: 'nonsense' });
    const query = { topic: world.names.journal };
    const { items } = await gateway.until(routes.listDeadLetters, { query }, (said) => said.items.length > 0);
    const [partition, offset] = (items[0]?.id ?? '').split('/');
    const params = { partition: partition ?? '', offset: offset ?? '' };
    const refused = await gateway.problem(routes.sendAgain, { params, body: {} });
    expect(refused).toMatchObject({ status: 409, code: 'not_a_request' });
  });
});
