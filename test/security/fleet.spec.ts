import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf, routes, type Route } from '@holdfast/api';
import { eventually, runTool, serviceProgram, startPostgres, type PostgresServer } from '@holdfast/dev';
import { createKafkaLog, type Log } from '@holdfast/log';
import { createClient, type Client } from '@holdfast/sdk';
import { Client as Database } from 'pg';
import { plan, step } from '../e2e/support/plans.js';
import { LANES, SecuredFleet, serviceUsers } from './support/fleet.js';
import { filesBelow, findBytes, waysToWrite } from './support/search.js';
import { SecuredKafka } from './support/secured-kafka.js';

const canary = (what: string): string => `sk-CANARY-${what}-${randomBytes(9).toString('hex')}+/=é`;
const users = Object.fromEntries([...serviceUsers, 'submitter', 'operator'].map((user) => [user, plainCanary(user)]));
const tool = canary('tool');
const told = canary('told');
const database = plainCanary('database');
const wrong = plainCanary('wrong');
const rotated = plainCanary('rotated');
/** For what has a syntax of its own around it. */
function plainCanary(what: string): string {
  return `sk-CANARY-${what}-${randomBytes(9).toString('hex')}`;
}
const canaries = [tool, told, database, wrong, rotated, ...Object.values(users)];
const marker = `run-${randomBytes(6).toString('hex')}`;

let kafka: SecuredKafka;
let postgres: PostgresServer;
let fleet: SecuredFleet;
let url: string;
const opened: Log[] = [];
const clientOf = (user: string): Client => {
  const log = createKafkaLog(kafka.optionsOf(user));
  opened.push(log);
  return createClient({ log, namespace: 'fleet' });
};
let submitter: Client;
let operator: Client;

beforeAll(async () => {
  kafka = await SecuredKafka.start(users);
  postgres = await startPostgres();
  url = postgres.url.replace(/\/\/([^@/]*)@/, (_, user: string) => `//${user.split(':')[0] ?? ''}:${database}@`);
  fleet = new SecuredFleet(kafka, 'fleet', {
    CANARY_TOOL_FILE: kafka.write('tool.secret', `${tool}\n`),
    CANARY_TOLD: told,
    HOLDFAST_SECRETS: 'CANARY_TOLD',
    DATABASE_URL_FILE: kafka.write('database.secret', url),
  });
  await fleet.prepare();
  await fleet.start(...serviceUsers.map((kind) => `${kind}-1`));
  submitter = clientOf('submitter');
  operator = clientOf('operator');
}, 300_000);
afterAll(async () => {
  await fleet?.close();
  await Promise.all(opened.map((log) => log.close()));
  await postgres?.stop();
  await kafka?.stop();
});

const ended = async (runId: string) => {
  for await (const { record } of operator.watch(runId, { signal: AbortSignal.timeout(100_000) })) {
    if (record.event.type === 'RunEnded') return record.event.data;
  }
  throw new Error(`${runId} did not end; logs are in ${fleet.folder}`);
};

const said = (...args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(
      'sh',
      ['-c', '"$@" 2>&1', 'sh', process.execPath, ...args],
      { env: { ...process.env, ...spareEnv() } },
      (_, out) => resolve(out),
    );
  });
const spareEnv = () => ({
  ...kafka.envOf('gateway'),
  KAFKA_BROKERS: kafka.brokers.join(','),
  HOLDFAST_NAMESPACE: 'fleet',
  HOLDFAST_LANES: String(LANES),
  HOLDFAST_QUEUES: 'default:2',
  DATABASE_URL_FILE: join(kafka.folder, 'database.secret'),
});

describe('services with the least rights, over TLS with a login each', () => {
  it('do the work of a run, submitted by who may do nothing but submit', async () => {
    const steps = ['leak-in-result', 'leak-in-evidence', 'leak-in-crash'].map((name) => step(name, name, {}));
    const submitted = await submitter.submit({ runId: marker, program: plan(steps), answerWithinMs: 60_000 });
    expect(submitted.outcome).toBe('accepted');
    expect(await ended(marker)).toMatchObject({ reason: 'succeeded' });
    const failing = plan([step('leak-in-failure', 'leak-in-failure', {}, { retry: { triesMax: 1 } })]);
    await submitter.submit({ runId: `${marker}-failing`, program: failing, answerWithinMs: 60_000 });
    const failed = await ended(`${marker}-failing`);
    expect(failed).toMatchObject({ reason: 'failed' });
    expect(JSON.stringify(failed)).toContain('[secret CANARY_TOOL]');
  });

  it('let who submits read no history', async () => {
    await expect(submitter.readRun(marker)).rejects.toThrow(/User:submitter may not read fleet\.run-events/);
  });

  it('begin nothing with a wrong password, and say so at once', async () => {
    kafka.write('wrong.password', wrong);
    const stranger = fleet.member('coordinator-9', {
      HOLDFAST_KAFKA_PASSWORD_FILE: join(kafka.folder, 'wrong.password'),
    });
    await expect(stranger.start()).rejects.toThrow();
    expect(readFileSync(stranger.plan.logFile, 'utf8')).toContain(
      'it refuses the login of User:coordinator by SCRAM-SHA-512',
    );
  });

  it('begin nothing without a right that they need, and name what grants it', async () => {
    const other = fleet.member('reconciler-9', kafka.envOf('executor'));
    await expect(other.start()).rejects.toThrow();
    expect(readFileSync(other.plan.logFile, 'utf8')).toContain(
      'User:executor may not write fleet.effect-verdicts; grant it with: holdfast acls --apply --principal reconciler=User:executor',
    );
  });
});

/** What every route answers about the run, whatever it is. */
const askAll = async (): Promise<void> => {
  const params = {
    runId: marker,
    stepId: 'leak-in-evidence',
    id: '0/0',
    seq: 1,
    lane: 0,
    attempt: 0,
    tenant: 'nobody',
  };
  const base = `http://127.0.0.1:${fleet.members.get('gateway-1')?.port ?? 0}`;
  const answers: string[] = [];
  for (const route of Object.values(routes) as readonly Route[]) {
    const signal = AbortSignal.timeout(3_000);
    const body =
      route.method === 'GET' ? {} : { body: '{"nothing": "of it"}', headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${base}${pathOf(route, params)}`, { method: route.method, signal, ...body });
    const text = await answer.text().catch(() => '(a stream)');
    answers.push(`${route.id} ${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
  }
  for (const name of fleet.members.keys()) {
    const port = fleet.members.get(name)?.running === true ? fleet.members.get(name)?.port : undefined;
    if (port === undefined) continue;
    for (const path of ['ready', 'health', 'metrics'])
      answers.push(await (await fetch(`http://127.0.0.1:${port}/${path}`)).text());
  }
  writeFileSync(join(fleet.folder, 'answers.txt'), answers.join('\n'));
};

/** All rows as text: in its files the database keeps long values compressed. */
const dump = async (): Promise<void> => {
  const client = new Database({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const lines: string[] = [];
  for (const { name } of rows) {
    const found = await client.query<{ line: string }>(`select row_to_json(t)::text as line from ${name} t`);
    lines.push(...found.rows.map(({ line }) => line));
  }
  await client.end();
  writeFileSync(join(fleet.folder, 'rows.txt'), lines.join('\n'));
};

describe('a secret that a service was given by reference', () => {
  it('stands in no byte that was written: topics, logs, rows, answers, what is printed', async () => {
    const gateway = `http://127.0.0.1:${fleet.members.get('gateway-1')?.port ?? 0}`;
    await eventually(
      'the gateway shows both runs',
      async () => {
        const shown = [marker, `${marker}-failing`].map(async (runId) =>
          fetch(`${gateway}${pathOf(routes.getRun, { runId })}`),
        );
        const all = await Promise.all((await Promise.all(shown)).map((one) => one.text()));
        return all.every((text) => text.includes('"ended"'));
      },
      60_000,
    );
    // Before all routes are asked: one of them throws the rows away.
    await dump();
    await askAll();
    const printed = await Promise.all([
      said(serviceProgram('gateway'), '--print-config'),
      said(serviceProgram('coordinator'), '--print-config'),
    ]);
    expect(printed[0]).toContain('# DATABASE_URL: set, not shown');
    expect(printed[1]).toContain('# HOLDFAST_KAFKA_PASSWORD: set, not shown');
    const { out, err } = await fleet.as('operator')('--json', 'watch', marker);
    writeFileSync(join(fleet.folder, 'printed.txt'), [...printed, out, err].join('\n'));

    const kept = /\.(password|secret)$/;
    const files = [
      ...filesBelow(kafka.folder, (path) => kept.test(path)),
      ...filesBelow(postgres.logFile.replace(/\/[^/]+$/, ''), () => false),
    ];
    expect(await findBytes(files, canaries.flatMap(waysToWrite))).toEqual([]);
    // The search finds what is there, in each kind of place, and what stands where a secret would.
    for (const text of [marker, '[secret CANARY_TOOL]', '[secret CANARY_TOLD]']) {
      const places = (await findBytes(files, [text])).join('\n');
      for (const place of [
        /run-events-\d\/.*\.log/,
        /step-journal-\d\/.*\.log/,
        /rows\.txt/,
        /answers\.txt/,
        /printed\.txt/,
      ])
        expect([text, places]).toEqual([text, expect.stringMatching(place)]);
    }
    for (const log of ['executor-1.log', 'reconciler-1.log']) {
      const places = await findBytes(
        files.filter((file) => file.endsWith(log)),
        ['[secret CANARY_TOOL]'],
      );
      if (log.startsWith('executor')) expect(places).toHaveLength(1);
    }
  });
});

describe('a password', () => {
  it('is changed by a restart: the old one lets nobody in any more, and work goes on', async () => {
    mkdirSync(join(kafka.folder, 'rotation'), { recursive: true });
    const config = kafka.write(
      'rotation/admin.secret',
      [
        'security.protocol=SASL_SSL',
        'sasl.mechanism=PLAIN',
        'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="the-administrator";',
        'ssl.truststore.type=PEM',
        `ssl.truststore.location=${join(kafka.folder, 'ca.pem')}`,
      ].join('\n'),
    );
    const where = ['--bootstrap-server', kafka.brokers.join(','), '--command-config', config];
    const entity = ['--entity-type', 'users', '--entity-name', 'coordinator'];
    await runTool('kafka.admin.ConfigCommand', [
      ...where,
      '--alter',
      ...entity,
      '--add-config',
      `SCRAM-SHA-512=[password=${rotated}]`,
    ]);
    const late = fleet.member('coordinator-8');
    await expect(late.start()).rejects.toThrow();
    kafka.setPassword('coordinator', rotated);
    await fleet.members.get('coordinator-1')?.stop(20_000);
    await fleet.start('coordinator-1');
    const runId = `${marker}-rotated`;
    await submitter.submit({
      runId,
      program: plan([step('leak-in-result', 'leak-in-result', {})]),
      answerWithinMs: 60_000,
    });
    expect(await ended(runId)).toMatchObject({ reason: 'succeeded' });
  });
});
