import { routes } from '@holdfast/api';
import { eventually } from '@holdfast/dev';
import { plan, step } from './support/plans.js';
import { gateway, kafka, postgres, throughAGateway, WAIT, world } from './support/through-gateway.js';

throughAGateway();

const order = (runId: string) => ({
  runId,
  program: plan([step('a', 'add', { numbers: [1] })]),
  requestId: `q ${runId}`,
});

describe('a gateway', () => {
  it('takes changes while the database is away, says so to whoever reads, and shows them when it is back', async () => {
    await postgres.kill();
    const runId = await world.runs.id('meanwhile');
    const accepted = await gateway.get(routes.submitRun, { body: { ...order(runId), waitMs: WAIT } });
    expect(accepted).toMatchObject({ outcome: 'accepted', runId });
    for (const route of [routes.listRuns, routes.getCounters, routes.listQuestions, routes.watchAll]) {
      expect(await gateway.problem(route)).toMatchObject({ status: 503, code: 'database_unavailable' });
    }
    const { ready } = (await gateway.ask(routes.getHealth)).body as { readonly ready: boolean };
    expect(ready).toBe(false);
    await world.runs.ended(runId);
    await postgres.restart();
    await gateway.until(routes.getRun, { params: { runId } }, ({ status }) => status === 'ended');
    await gateway.until(routes.getHealth, {}, (health) => health.ready);
  });

  it('acknowledges nothing while the broker stands still, and does what was asked again once', async () => {
    const runId = await world.runs.id('frozen');
    kafka.freeze();
    const refused = await gateway.problem(routes.submitRun, { body: order(runId) });
    expect(refused).toMatchObject({ status: 503, requestId: `q ${runId}` });
    const lanes = await gateway.problem(routes.listLanes);
    expect(lanes).toMatchObject({ status: 503, code: 'log_unavailable' });
    kafka.thaw();
    const again = async (): Promise<boolean> =>
      (await gateway.ask(routes.submitRun, { body: { ...order(runId), waitMs: WAIT } })).status === 200;
    await eventually('it is accepted', again, 60_000);
    await world.runs.ended(runId);
    expect((await world.runs.history(runId)).all('RunAccepted')).toHaveLength(1);
  });
});
