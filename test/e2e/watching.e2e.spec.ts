import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '@holdfast/api';
import { encodeHistory, laneOf } from '@holdfast/events';
import { eventually, startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import { parse } from 'yaml';
import { evaluate, type Sample } from '../support/promql/evaluate.js';
import { samplesIn, sumOf } from '../support/promql/scrape.js';
import { Gateway } from './support/gateway.js';
import { OtlpReceiver, type Received } from './support/otlp-receiver.js';
import { effect, plan } from './support/plans.js';
import type { History } from './support/runs.js';
import { World } from './support/world.js';

const LANES = 2;
const TRACE = 'c0ffee'.padEnd(32, '0');
const SUBMITTER = 'beef'.padEnd(16, '0');

let kafka: KafkaCluster;
let postgres: PostgresServer;
let world: World;
let gateway: Gateway;
const collector = new OtlpReceiver();

let runId: string;
let history: History;
let before: readonly Sample[];

const services = () => [
  ...['coordinator-1', 'executor-1', 'reconciler-1'].map((name) => world.member(name)),
  gateway.member,
];
const scrape = async (): Promise<readonly Sample[]> => {
  const texts = await Promise.all(
    services().map(async (member) => {
      const answer = await fetch(`http://127.0.0.1:${member.port}/metrics`);
      return samplesIn(await answer.text(), member.name);
    }),
  );
  return texts.flat();
};
/** Scrapes until it shows what is awaited. */
const shown = async (what: string, is: (samples: readonly Sample[]) => boolean): Promise<readonly Sample[]> => {
  let samples: readonly Sample[] = [];
  await eventually(what, async () => is((samples = await scrape())), 30_000);
  return samples;
};

const rules = parse(readFileSync(new URL('../../ops/prometheus/alerts.yml', import.meta.url), 'utf8')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};
const exprOf = (alert: string): string =>
  rules.groups.flatMap((group) => group.rules).find((rule) => rule.alert === alert)?.expr ?? '';
const raised = (alert: string, since: readonly Sample[], now: readonly Sample[]) =>
  evaluate(exprOf(alert), { before: since, after: now });

beforeAll(async () => {
  [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
  await collector.start();
  const env = { HOLDFAST_TRACE_ENDPOINT: collector.url, HOLDFAST_LOG_LEVEL: 'debug' };
  world = await World.open({ brokers: kafka.brokers, lanes: LANES, env });
  gateway = await Gateway.open(world, await postgres.createDatabase(), env);
  await world.leads('coordinator-1');
  before = await scrape();

  // The first call makes no effect and is killed with its worker; the second try does it.
  runId = await world.runs.id('watched');
  const program = plan([
    effect('file', 'act', { conduct: ['hold-drop', 'ok'] }),
    effect('pay', 'next', { after: ['act'] }),
  ]);
  await gateway.ask(routes.submitRun, {
    body: { runId, program, input: { run: runId }, waitMs: 20_000 },
    headers: { traceparent: `00-${TRACE}-${SUBMITTER}-01` },
  });
  await world.ledger.called([`${runId}/act`]);
  world.member('executor-1').killWorker();
  await world.runs.ended(runId);
  history = await world.runs.history(runId);
});
afterAll(async () => {
  await gateway?.member.killWhole();
  await world?.close();
  await collector.stop();
  await postgres?.stop();
  await kafka?.stop();
});

describe('the numbers of all services', () => {
  it('agree with the history of the run', async () => {
    const samples = await shown(
      'the end of the run is counted',
      (all) =>
        sumOf(all, 'holdfast_runs_ended_total', { reason: 'succeeded' }) === 1 &&
        sumOf(all, 'holdfast_recovery_seconds_count') === 1,
    );
    const count = (name: string, labels = {}) => sumOf(samples, name, labels);
    expect({
      accepted: count('holdfast_runs_accepted_total'),
      scheduled: count('holdfast_attempts_scheduled_total'),
      succeeded: count('holdfast_steps_total', { outcome: 'succeeded' }),
      inDoubt: count('holdfast_attempts_total', { outcome: 'in_doubt' }),
      opened: count('holdfast_doubts_opened_total'),
      absent: count('holdfast_doubts_settled_total', { verdict: 'absent', by: 'reconciler' }),
      open: count('holdfast_doubts'),
    }).toEqual({
      accepted: 1,
      scheduled: history.all('StepScheduled').length,
      succeeded: history.all('StepSucceeded').length,
      inDoubt: history.all('DoubtOpened').length,
      opened: 1,
      absent: 1,
      open: 0,
    });
    const [opened] = history.records.filter(({ event }) => event.type === 'DoubtOpened');
    const [settled] = history.records.filter(({ event }) => event.type === 'DoubtSettled');
    const lasted = (Date.parse(settled?.time ?? '') - Date.parse(opened?.time ?? '')) / 1_000;
    expect(count('holdfast_recovery_seconds_sum')).toBeCloseTo(lasted, 3);
  });

  it('agree with the ledger, through the parent of a worker that was killed', async () => {
    const samples = await shown(
      'both calls have ended',
      (all) => sumOf(all, 'holdfast_calls_total', { outcome: 'succeeded' }) === 2,
    );
    expect(world.ledger.entries(`${runId}/act`)).toHaveLength(1);
    expect(sumOf(samples, 'holdfast_calls_total', { outcome: 'succeeded' })).toBe(2);
    expect(sumOf(samples, 'holdfast_worker_exits_total', { cause: 'exited' })).toBe(1);
    expect(sumOf(samples, 'holdfast_executor_sessions', { state: 'open' })).toBe(1);
    expect(sumOf(samples, 'holdfast_probes_total', { verdict: 'absent' })).toBeGreaterThanOrEqual(1);
    expect(sumOf(samples, 'holdfast_http_requests_total', { route: '/v1/runs', method: 'POST' })).toBe(1);
  });

  it('tell of every lane its owner, and that all is read', async () => {
    const samples = await shown(
      'the rows are up to date',
      (all) => sumOf(all, 'holdfast_projection_lag_records') === 0,
    );
    expect(sumOf(samples, 'holdfast_lanes')).toBe(LANES);
    expect(sumOf(samples, 'holdfast_lane_owned')).toBe(LANES);
    expect(sumOf(samples, 'holdfast_lane_records_total', { judged: 'valid' })).toBeGreaterThan(history.records.length);
    expect(sumOf(samples, 'holdfast_ready')).toBe(4);
    for (const alert of [
      'HoldfastLaneWithoutOwner',
      'HoldfastNoCoordinator',
      'HoldfastVoidRecords',
      'HoldfastDeadLetters',
    ])
      expect(raised(alert, before, samples)).toEqual([]);
  });
});

describe('the trace of the run', () => {
  const named = (name: string): readonly Received[] =>
    collector.spans.filter((span) => span.traceId === TRACE && span.name === name);
  const attempts = (): readonly Received[] => [...named('attempt file@1'), ...named('attempt pay@1')];

  it('has its hops in all services, below the submitter, across the death of the worker', async () => {
    await eventually('the run has its span', () => named('run').length > 0 && named('call pay@1').length > 0, 30_000);
    const [request] = named('POST /v1/runs');
    const [run] = named('run');
    expect(request?.parent).toBe(SUBMITTER);
    expect(run?.parent).toBe(request?.spanId);
    expect(new Set(attempts().map(({ parent }) => parent))).toEqual(new Set([run?.spanId]));
    const ofTrace = collector.spans.filter(({ traceId }) => traceId === TRACE);
    const known = new Set([SUBMITTER, ...ofTrace.map(({ spanId }) => spanId)]);
    expect(ofTrace.filter(({ parent }) => parent !== undefined && !known.has(parent))).toEqual([]);
    expect(new Set(ofTrace.map(({ service }) => service))).toEqual(
      new Set(['holdfast-gateway', 'holdfast-coordinator', 'holdfast-executor', 'holdfast-reconciler']),
    );
  });

  it('links the second try to the first and to the doubt, about which the reconciler has asked', () => {
    const [first, second] = named('attempt file@1').toSorted(
      (a, b) => Number(a.said['holdfast.attempt']) - Number(b.said['holdfast.attempt']),
    );
    const [doubt] = named('doubt');
    expect(doubt).toMatchObject({ parent: first?.spanId, said: { 'holdfast.verdict': 'absent' } });
    expect(second?.links).toEqual([first?.spanId, doubt?.spanId]);
    const questions = named('question file@1');
    expect(questions.length).toBeGreaterThanOrEqual(1);
    for (const question of questions) expect(question).toMatchObject({ parent: doubt?.spanId, links: [first?.spanId] });
    expect(named('call file@1')).toMatchObject([{ parent: second?.spanId }]);
  });
});

describe('the lines of all logs', () => {
  const linesOf = (name: string) =>
    readFileSync(join(world.folder, `${name}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('name the run, the step, the attempt, the lane and the trace alike', () => {
    const all = ['coordinator-1', 'executor-1', 'reconciler-1'].flatMap((name) => linesOf(name));
    const ofRun = all.filter((line) => JSON.stringify(line).includes(runId));
    expect(new Set(ofRun.map(({ service }) => service))).toEqual(
      new Set(['coordinator', 'executor-worker', 'reconciler']),
    );
    for (const line of ofRun) expect(line).toMatchObject({ runId, traceId: TRACE, instance: expect.any(String) });
    const ofAttempts = ofRun.filter(({ attemptId }) => attemptId !== undefined);
    expect(ofAttempts.length).toBeGreaterThan(4);
    for (const { attemptId, stepId } of ofAttempts)
      expect(attemptId).toMatch(new RegExp(`^${runId}/${String(stepId)}/\\d+$`));
    for (const line of all) expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['run']));
    const lane = laneOf(runId, LANES);
    for (const line of ofRun.filter(({ service }) => service === 'coordinator')) expect(line['lane']).toBe(lane);
  });

  it('hold nothing that the run is about', () => {
    const all = ['coordinator-1', 'executor-1', 'reconciler-1', 'gateway-1'].flatMap((name) => linesOf(name));
    for (const line of all)
      for (const name of ['args', 'input', 'result', 'output']) expect(line).not.toHaveProperty(name);
  });
});

describe('what goes wrong raises its alert', () => {
  it('a record that cannot be read', async () => {
    const since = await scrape();
    await world.log.append(world.names.requests, 0, [{ key: null, value: new TextEncoder().encode('no JSON') }]);
    const now = await shown('the dead letter is counted', (all) => sumOf(all, 'holdfast_dead_letters_total') > 0);
    expect(raised('HoldfastDeadLetters', since, now)).toMatchObject([{ labels: { code: 'not_json' }, value: 1 }]);
  });

  it('a record of a former owner', async () => {
    const since = await scrape();
    const lane = laneOf(runId, LANES);
    const record = { id: `${lane}/0`, time: new Date(0).toISOString(), subject: null, principal: null, prev: null };
    const stale = encodeHistory({
      ...record,
      lane: { epoch: 1, seq: 0, owner: 'somebody-else', first: 0, size: 1 },
      event: { type: 'LaneAcquired', version: 1, data: { at: 0 } },
    });
    await world.log.append(world.names.history, lane, [{ key: null, value: stale }]);
    // The owner learns of it at its next append, which lands elsewhere than it expects.
    await world.runs.submit(await world.runs.id('next', lane), plan([effect('pay', 'act')]));
    const now = await shown(
      'the void record is counted',
      (all) => sumOf(all, 'holdfast_lane_records_total', { judged: 'void' }) > 0,
    );
    expect(raised('HoldfastVoidRecords', since, now)).toMatchObject([{ labels: { lane: String(lane) }, value: 1 }]);
  });

  it('a lane whose coordinator has died', async () => {
    await world.start('coordinator-2');
    await world.leads('coordinator-1', 'coordinator-2');
    const left = world.member('coordinator-2');
    await world.member('coordinator-1').killWhole();
    const answer = await fetch(`http://127.0.0.1:${left.port}/metrics`);
    const now = samplesIn(await answer.text(), left.name);
    expect(raised('HoldfastLaneWithoutOwner', [], now)).toHaveLength(1);
    await eventually(
      'the other coordinator owns all lanes',
      async () => {
        const later = await fetch(`http://127.0.0.1:${left.port}/metrics`);
        return raised('HoldfastLaneWithoutOwner', [], samplesIn(await later.text(), left.name)).length === 0;
      },
      60_000,
    );
  });
});
