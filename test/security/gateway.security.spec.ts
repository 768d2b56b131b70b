import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf, routes, type Role } from '@holdfast/api';
import {
  eventually,
  serviceProgram,
  startKafka,
  startPostgres,
  type KafkaCluster,
  type PostgresServer,
} from '@holdfast/dev';
import { Client } from 'pg';
import { newKey, TestIssuer, type KeyOf } from '../../apps/gateway/src/http/auth/access.fixture.js';
import { apiTokens, tables } from '../../apps/gateway/src/store/tables.js';
import { commandLine } from '../e2e/support/command-line.js';
import { EventStream } from '../e2e/support/event-stream.js';
import { Gateway } from '../e2e/support/gateway.js';
import { ModelClient } from '../e2e/support/model-client.js';
import { asks, sums, WAIT } from '../e2e/support/through-gateway.js';
import { recordsOf } from '../e2e/support/topics.js';
import { World } from '../e2e/support/world.js';

const ADMIN = 'admin-'.padEnd(48, 'x');
let kafka: KafkaCluster;
let postgres: PostgresServer;
let world: World;
let one: Gateway;
let two: Gateway;
let issuer: TestIssuer;
let key: KeyOf;
/** Every token of the file: none of them may be found anywhere. */
const secrets = [ADMIN];

beforeAll(async () => {
  key = await newKey('k1');
  [kafka, postgres, issuer] = await Promise.all([startKafka(), startPostgres(), TestIssuer.open(key)]);
  world = await World.open(kafka);
  const file = join(world.folder, 'admin-token');
  writeFileSync(file, `${ADMIN}\n`, { mode: 0o600 });
  const env = {
    HOLDFAST_AUTH: 'tokens,oidc',
    HOLDFAST_ADMIN_TOKEN_FILE: file,
    HOLDFAST_OIDC_ISSUER: issuer.url,
    HOLDFAST_OIDC_AUDIENCE: 'holdfast',
    HOLDFAST_OIDC_ROLES: 'ops:operator,leads:approver',
    HOLDFAST_FOUR_EYES: 'true',
    HOLDFAST_MCP: 'write',
  };
  const opened = ['gateway-1', 'gateway-2'].map((name) => Gateway.open(world, postgres.url, env, name));
  [one, two] = (await Promise.all(opened)) as [Gateway, Gateway];
});
afterAll(async () => {
  await Promise.all([one?.member.killWhole(), two?.member.killWhole()]);
  await world?.close();
  await Promise.all([postgres?.stop(), kafka?.stop(), issuer?.close()]);
});

const by = (token: string) => ({ authorization: `Bearer ${token}` });
const give = async (name: string, ...roles: readonly Role[]) => {
  const made = await one.get(routes.createToken, { body: { name, roles }, headers: by(ADMIN) });
  secrets.push(made.token);
  return made;
};
const person = async (sub: string, ...roles: readonly string[]) => {
  const token = await issuer.sign(key, { sub, roles: [...roles] });
  secrets.push(token);
  return by(token);
};
const submitted = async (name: string, headers: Readonly<Record<string, string>>, program: object = sums) => {
  const runId = await world.runs.id(name);
  const body = { runId, program, input: { run: runId, numbers: [1, 2] }, waitMs: WAIT };
  expect(await one.get(routes.submitRun, { body, headers })).toMatchObject({ outcome: 'accepted' });
  return runId;
};

describe('a gateway that asks who one is', () => {
  it('writes into the history who has asked, by the token and not by a header', async () => {
    const { token } = await give('ci', 'operator');
    const runId = await submitted('signed', { ...by(token), 'x-holdfast-principal': 'ann' });
    const paused = await submitted('paused', by(token), asks);
    const ann = await person('ann', 'ops');
    await one.get(routes.cancelRun, {
      params: { runId: paused },
      body: { reason: 'no more', waitMs: WAIT },
      headers: ann,
    });
    await Promise.all([world.runs.ended(runId), world.runs.ended(paused)]);
    const who = async (id: string, type: string) => {
      const { items } = await one.get(routes.getHistory, { params: { runId: id }, query: { type }, headers: ann });
      return items.map(({ principal }) => principal);
    };
    await one.until(routes.getRun, { params: { runId: paused }, headers: ann }, ({ status }) => status === 'ended');
    await one.until(routes.getRun, { params: { runId }, headers: ann }, ({ principal }) => principal === 'token:ci');
    expect(await who(runId, 'RunAccepted')).toEqual(['token:ci']);
    expect(await who(paused, 'CancelRequested')).toEqual(['oidc:ann']);
  });

  it('lets each do what their roles allow', async () => {
    const ask = async (headers: Readonly<Record<string, string>>, route: (typeof routes)[keyof typeof routes]) =>
      (await one.ask(route, { params: { runId: 'none' }, headers, ...(route.method === 'GET' ? {} : { body: {} }) }))
        .status;
    const wall = await give('wall', 'viewer');
    const [viewer, lead] = [by(wall.token), await person('bob', 'leads')];
    expect(await ask({}, routes.listRuns)).toBe(401);
    expect(await ask(viewer, routes.listRuns)).toBe(200);
    expect(await ask(viewer, routes.cancelRun)).toBe(403);
    const model = await ModelClient.beside({ HOLDFAST_GATEWAY: one.url, HOLDFAST_TOKEN: wall.token }, 'mcp');
    expect(await model.tools()).toEqual(expect.arrayContaining(['get_run', 'list_tools']));
    expect(await model.tools()).not.toContain('cancel_run');
    expect((await model.call('cancel_run', { runId: 'none' })).text).toMatch(/^role_missing: token:wall does not/);
    await model.close();
    await expect(ModelClient.beside({ HOLDFAST_GATEWAY: one.url }, 'mcp')).rejects.toThrow('set HOLDFAST_TOKEN');
    expect(await ask(lead, routes.pauseRun)).toBe(403);
    expect(await ask(await person('eve'), routes.listRuns)).toBe(403);
    expect(await ask(by(ADMIN), routes.killRun)).toBe(202);
  });

  it('lets nobody answer for what they have begun, a model neither', async () => {
    const both = await person('cem', 'ops', 'leads');
    const runId = await submitted('eyes', both, asks);
    const lead = await person('bob', 'leads');
    const { items } = await one.until(
      routes.listQuestions,
      { query: { run: runId }, headers: lead },
      ({ items: all }) => all.length > 0,
    );
    const body = { escalation: items[0]?.seq, choice: 'answer', value: { limit: 3 }, waitMs: WAIT };
    const refused = await one.problem(routes.answerQuestion, { params: { runId }, body, headers: both });
    expect(refused).toMatchObject({ status: 403, code: 'same_person' });
    const model = await ModelClient.over(one.url, both);
    const { waitMs: _, ...answer } = body;
    expect((await model.call('answer_escalation', { runId, ...answer })).text).toMatch(/^same_person: oidc:cem has/);
    await model.close();
    await one.get(routes.answerQuestion, { params: { runId }, body, headers: lead });
    await world.runs.ended(runId);
  });
});

describe('an API token', () => {
  it('is made, shown and taken back from the command line', async () => {
    const cli = commandLine(['127.0.0.1:1'], world.namespace, { HOLDFAST_GATEWAY: one.url, HOLDFAST_TOKEN: ADMIN });
    const made = await cli('tokens', 'create', 'nightly', '--role', 'operator', '--expires', '30d', '--json');
    const [{ token, id } = {}] = made.lines as readonly { token?: string; id?: string }[];
    secrets.push(token ?? '');
    expect((await two.ask(routes.listRuns, { headers: by(token ?? '') })).status).toBe(200);
    expect((await cli('tokens', 'list')).out).toContain('nightly');
    expect((await cli('tokens', 'revoke', id ?? '')).exit).toBe(0);
    expect((await two.ask(routes.listRuns, { headers: by(token ?? '') })).status).toBe(401);
  });

  it('is of no use at any gateway from the moment on in which it was taken back', async () => {
    const { id: tokenId, token } = await give('wall', 'viewer');
    const stream = await EventStream.open(`${two.url}${pathOf(routes.watchAll)}`, null, by(token));
    await one.get(routes.revokeToken, { params: { tokenId }, headers: by(ADMIN) });
    expect((await two.problem(routes.listRuns, { headers: by(token) })).code).toBe('invalid_token');
    await eventually('the stream is ended', () => stream.ended !== null, 20_000);
    expect(stream.ended).toBe('signed_out');
    stream.close();
  });

  it('is there after a rebuild', async () => {
    const { token } = await give('kept', 'admin');
    await one.get(routes.rebuildProjections, { headers: by(token) });
    expect((await two.ask(routes.whoAmI, { headers: by(token) })).body).toMatchObject({
      principal: { id: 'token:kept' },
    });
  });

  it('stands in no topic, no log and no row', async () => {
    await one.ask(routes.listRuns, { headers: by(`${secrets[1]}x`) });
    const logs = [one, two].map(({ member }) => readFileSync(member.plan.logFile, 'utf8'));
    const topics = [world.names.requests, world.names.history, world.names.replies, world.names.deadLetters];
    const places = topics.flatMap((topic) => [0, 1, 2, 3].map((lane) => [topic, lane] as const));
    const records = await Promise.all(places.map(([topic, lane]) => recordsOf(world.log, topic, lane)));
    const values = records.flat().map(({ value }) => Buffer.from(value ?? []).toString('utf8'));
    const database = new Client({ connectionString: postgres.url });
    await database.connect();
    const names = Object.values({ ...tables, apiTokens }).map(({ name }) => name);
    const rows: string[] = [];
    for (const name of names) rows.push(JSON.stringify((await database.query(`SELECT * FROM ${name}`)).rows));
    await database.end();
    expect(values.length).toBeGreaterThan(10);
    expect(logs.join('')).toContain('a token was refused');
    expect(rows.join('')).toContain('nightly');
    const all = [...logs, ...values, ...rows].join('\n');
    for (const secret of secrets) expect(all.includes(secret.slice(-30))).toBe(false);
  });
});

describe('a gateway that asks nobody', () => {
  it('does not start where others could reach it', async () => {
    const env = { KAFKA_BROKERS: kafka.brokers.join(','), DATABASE_URL: postgres.url, HOLDFAST_HTTP_HOST: '0.0.0.0' };
    const said = await new Promise<{ code: unknown; err: string }>((resolve) => {
      execFile(process.execPath, [serviceProgram('gateway')], { env, timeout: 60_000 }, (error, _, err) =>
        resolve({ code: error?.code, err }),
      );
    });
    expect(said.code).toBe(1);
    expect(said.err).toContain(
      'HOLDFAST_HTTP_HOST: 0.0.0.0 can be reached by others, and nobody is asked who they are',
    );
  });
});

describe('while the database is away', () => {
  it('whoever can be told without it is let in, and nobody else', async () => {
    const { token } = await give('late', 'operator');
    await postgres.stop();
    const me = (headers: Readonly<Record<string, string>>) => one.ask(routes.whoAmI, { headers });
    expect(await me(by(token))).toMatchObject({ status: 503, body: { code: 'sign_in_unavailable' } });
    expect((await me(by(ADMIN))).status).toBe(200);
    expect(await me(await person('ann', 'ops'))).toMatchObject({
      status: 200,
      body: { principal: { id: 'oidc:ann' } },
    });
    const runId = await submitted('blind', await person('ann', 'ops'));
    await world.runs.ended(runId);
  });
});
