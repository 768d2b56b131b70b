import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf, routes } from '@holdfast/api';
import { topicNames } from '@holdfast/contracts';
import { eventually, runTool, serviceProgram, startPostgres, type PostgresServer } from '@holdfast/dev';
import { createKafkaLog, type Log } from '@holdfast/log';
import { createClient, type Client } from '@holdfast/sdk';
import { OtlpReceiver } from '../e2e/support/otlp-receiver.js';
import { plan, step } from '../e2e/support/plans.js';
import { put, recordsOf } from '../e2e/support/topics.js';
import {
  bearer,
  canaries,
  database,
  mcpEnv,
  mcpHeader,
  modelKey,
  rotated,
  told,
  tool,
  users,
  wrong,
} from './support/canaries.js';
import { Echo } from './support/echo.js';
import { LANES, SecuredFleet, serviceUsers } from './support/fleet.js';
import { filesBelow, findBytes, waysToWrite } from './support/search.js';
import { SecuredKafka } from './support/secured-kafka.js';
import { callsOfFile, toolFile } from './support/tool-file.js';
import { answersOf, modelAnswersOf, pagesOf, rowsOf, snapshotsOf } from './support/told.js';

const names = topicNames('fleet');
const marker = `run-${randomBytes(6).toString('hex')}`;

let kafka: SecuredKafka;
let postgres: PostgresServer;
let fleet: SecuredFleet;
let url: string;
const echo = new Echo();
const spans = new OtlpReceiver();
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
  await Promise.all([echo.start(), spans.start()]);
  const file = kafka.write('tools.json', toolFile(echo.url));
  const env = {
    CANARY_MODEL_KEY: modelKey,
    CANARY_MCP_ENV: mcpEnv,
    CANARY_MCP_HEADER: mcpHeader,
    CANARY_BEARER: bearer,
    CANARY_ECHO: echo.url,
    CANARY_GO: join(kafka.folder, 'go'),
    HOLDFAST_TRACE_ENDPOINT: spans.url,
    HOLDFAST_SNAPSHOT_EVENTS: '5',
    HOLDFAST_SNAPSHOT_EVERY_MS: '0',
    HOLDFAST_MCP: 'write',
    CANARY_TOOL_FILE: kafka.write('tool.secret', `${tool}\n`),
    CANARY_TOLD: told,
    HOLDFAST_SECRETS: 'CANARY_TOLD',
    DATABASE_URL_FILE: kafka.write('database.secret', url),
  };
  fleet = new SecuredFleet(kafka, 'fleet', env, [file]);
  await fleet.prepare();
  await fleet.start(...serviceUsers.map((kind) => `${kind}-1`));
  submitter = clientOf('submitter');
  operator = clientOf('operator');
}, 300_000);
afterAll(async () => {
  await fleet?.close();
  await Promise.all(opened.map((log) => log.close()));
  await postgres?.stop();
  await Promise.all([kafka?.stop(), echo.stop(), spans.stop()]);
});

const ended = async (runId: string) => {
  for await (const { record } of operator.watch(runId, { signal: AbortSignal.timeout(100_000) })) {
    if (record.event.type === 'RunEnded') return record.event.data;
  }
  throw new Error(`${runId} did not end; logs are in ${fleet.folder}`);
};

const progressTold = async (): Promise<boolean> => {
  const lanes = Array.from({ length: LANES }, (_, lane) => recordsOf(opened[1] as Log, names.journal, lane));
  const values = (await Promise.all(lanes)).flat().map(({ value }) => Buffer.from(value ?? []).toString('utf8'));
  return ['AttemptStarted', 'AttemptProgressed'].every((type) =>
    values.some((text) => text.includes(`${marker}/leak-in-result`) && text.includes(type)),
  );
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
    const names = ['leak-in-result', 'leak-in-answer', 'leak-in-evidence', 'leak-in-crash'];
    const program = plan(names.map((name) => step(name, name, {})));
    const submitted = await submitter.submit({ runId: marker, program, answerWithinMs: 60_000 });
    expect(submitted.outcome).toBe('accepted');
    await eventually('the call is told of as one under way, with its progress', progressTold, 60_000);
    writeFileSync(join(kafka.folder, 'go'), 'go');
    expect(await ended(marker)).toMatchObject({ reason: 'succeeded' });
    const failing = plan([step('leak-in-failure', 'leak-in-failure', {}, { retry: { triesMax: 1 } })]);
    await submitter.submit({ runId: `${marker}-failing`, program: failing, answerWithinMs: 60_000 });
    const failed = await ended(`${marker}-failing`);
    expect(failed).toMatchObject({ reason: 'failed' });
    expect(JSON.stringify(failed)).toContain('[secret CANARY_TOOL]');
  });

  it('show a model no secret that a tool has answered with, and hand on no key that it has said', async () => {
    const program = {
      kind: 'agent',
      instructions: 'Look.',
      task: 'Call it.',
      model: 'leaky-model@1',
      tools: [{ tool: 'leak-in-answer@1' }],
    };
    await submitter.submit({ runId: `${marker}-agent`, program, answerWithinMs: 60_000 });
    const { reason, output } = await ended(`${marker}-agent`);
    expect(echo.shown).toContain(`Bearer ${bearer}`);
    expect([reason, output]).toEqual([
      'succeeded',
      expect.stringMatching(/^saw 0 secrets in .*; my key is \[secret CANARY_MODEL_KEY\]$/s),
    ]);
    for (const name of ['TOOL', 'TOLD', 'MODEL_KEY', 'MCP_ENV', 'MCP_HEADER', 'BEARER']) {
      expect(output).toContain(`[secret CANARY_${name}]`);
    }
  });

  it('let no secret out of a tool file, which names it by reference', async () => {
    await submitter.submit({ runId: `${marker}-file`, program: callsOfFile, answerWithinMs: 60_000 });
    const { reason, output, report } = await ended(`${marker}-file`);
    // What was refused, what has failed, and the database that nobody has.
    expect([reason, report.stepsSucceeded, report.stepsFailed]).toEqual(['succeeded', 3, 4]);
    for (const name of ['MODEL_KEY', 'MCP_ENV', 'MCP_HEADER', 'BEARER']) {
      expect(JSON.stringify(output)).toContain(`[secret CANARY_${name}]`);
    }
    expect(echo.shown).toEqual(expect.arrayContaining([`Bearer ${modelKey}`, `Bearer ${bearer}`]));
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

const gatewayUrl = (): string => `http://127.0.0.1:${fleet.members.get('gateway-1')?.port ?? 0}`;
const written = (name: string, lines: readonly string[]): void =>
  writeFileSync(join(fleet.folder, name), lines.join('\n'));

/** What all services say about themselves. */
const watched = async (): Promise<readonly string[]> => {
  const ports = [...fleet.members.values()].filter(({ running }) => running).map(({ port }) => port);
  const asked = ports.flatMap((port) =>
    ['ready', 'health', 'metrics'].map((path) => `http://127.0.0.1:${port}/${path}`),
  );
  return Promise.all(asked.map(async (url) => (await fetch(url)).text()));
};

describe('a secret that a service was given by reference', () => {
  it('stands in no byte that was written: topics, logs, rows, answers, what is printed', async () => {
    const gateway = gatewayUrl();
    const runs = [marker, `${marker}-failing`, `${marker}-agent`, `${marker}-file`];
    await put(opened[0] as Log, { topic: names.requests, partition: 0 }, { value: `{"nobody": "reads ${marker}"}` });
    await eventually(
      'the gateway shows all runs and the dead letter',
      async () => {
        const asked = [
          ...runs.map((runId) => [pathOf(routes.getRun, { runId }), '"ended"']),
          [pathOf(routes.getDeadLetter, { partition: 0, offset: 0 }), marker],
        ] as const;
        const all = asked.map(async ([path = '', text = '']) =>
          (await (await fetch(`${gateway}${path}`)).text()).includes(text),
        );
        return (await Promise.all(all)).every((isShown) => isShown);
      },
      60_000,
    );
    // Before all routes are asked: one of them throws the rows away.
    written('rows.txt', await rowsOf(postgres.url));
    const steps = ['leak-in-evidence', 'leak-in-failure', 'leak-in-result'].map((stepId) => ({
      runId: stepId === 'leak-in-failure' ? `${marker}-failing` : marker,
      stepId,
    }));
    written(
      'models.txt',
      await modelAnswersOf(gateway, [
        ...steps,
        { runId: `${marker}-agent`, stepId: 'agent' },
        { runId: `${marker}-file`, stepId: 'model-refused' },
      ]),
    );
    written('pages.txt', await pagesOf(gateway));
    const answers = await Promise.all(steps.map((of) => answersOf(gateway, of, 'looking')));
    answers.push(await answersOf(gateway, { runId: marker, stepId: 'leak-in-evidence' }, 'all'));
    written('answers.txt', [...answers.flat(), ...(await watched())]);
    written('snapshots.txt', await snapshotsOf(opened[1] as Log, names, LANES));
    written(
      'spans.txt',
      spans.spans.map((span) => JSON.stringify(span)),
    );
    const printed = await Promise.all([
      said(serviceProgram('gateway'), '--print-config'),
      said(serviceProgram('coordinator'), '--print-config'),
    ]);
    expect(printed[0]).toContain('# DATABASE_URL: set, not shown');
    expect(printed[1]).toContain('# HOLDFAST_KAFKA_PASSWORD: set, not shown');
    const { out, err } = await fleet.as('operator')('--json', 'watch', marker);
    written('printed.txt', [...printed, out, err]);

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
        /models\.txt/,
        /printed\.txt/,
      ])
        expect([text, places]).toEqual([text, expect.stringMatching(place)]);
    }
    // Nothing that was told by then stands in these, but they are looked through: a run is named in each.
    const told = (await findBytes(files, [marker])).join('\n');
    for (const place of [/dead-letters-\d\/.*\.log/, /snapshots\.txt/, /spans\.txt/]) expect(told).toMatch(place);
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
