import { routes } from '@holdfast/api';
import { startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import type { Plan } from '@holdfast/programs';
import { Gateway } from './gateway.js';
import { from, plan, step } from './plans.js';
import { World } from './world.js';

export let kafka: KafkaCluster;
export let postgres: PostgresServer;
export let world: World;
export let gateway: Gateway;
/** Starts a broker, a database, the services and a gateway for the tests of a file, and ends them after it. */
export const throughAGateway = (env: Readonly<Record<string, string>> = {}): void => {
  beforeAll(async () => {
    [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
    world = await World.open(kafka);
    gateway = await Gateway.open(world, postgres.url, env);
  });
  afterAll(async () => {
    await gateway?.member.killWhole();
    await world?.close();
    await Promise.all([postgres?.stop(), kafka?.stop()]);
  });
};

export const WAIT = 30_000;
export const sums = plan(
  [
    step('first', 'add', { numbers: from('input.numbers') }),
    step('twice', 'add', { numbers: [from('steps.first.sum'), 1] }),
  ],
  { output: from('steps.twice.sum') },
);
export const asks: Plan = plan(
  [
    {
      id: 'q',
      ask: { question: 'Which limit?', schema: { type: 'object', properties: { limit: { type: 'integer' } } } },
    },
  ],
  { output: from('steps.q') },
);
export const as = (principal: string) => ({ 'x-holdfast-principal': principal });
export const submit = async (name: string, program: Plan, more: object = {}): Promise<string> => {
  const runId = await world.runs.id(name);
  const body = { runId, program, input: { run: runId, numbers: [1, 2] }, waitMs: WAIT, ...more };
  expect(await gateway.get(routes.submitRun, { body, headers: as('ann') })).toMatchObject({
    outcome: 'accepted',
    runId,
  });
  return runId;
};
export const ended = (runId: string) =>
  gateway.until(routes.getRun, { params: { runId } }, ({ status }) => status === 'ended');
export const asked = async (name: string, program = asks): Promise<string> => {
  const runId = await submit(name, program);
  await gateway.until(routes.listQuestions, { query: { run: runId } }, ({ items }) => items.length > 0);
  return runId;
};
