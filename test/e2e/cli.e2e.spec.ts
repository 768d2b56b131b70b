import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { commandLine } from './support/command-line.js';
import { effect, plan } from './support/plans.js';
import { put } from './support/topics.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
let holdfast: ReturnType<typeof commandLine>;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers });
  holdfast = commandLine(kafka.brokers, world.namespace);
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const file = (name: string, text: string): string => {
  const path = join(world.folder, name);
  writeFileSync(path, text);
  return path;
};
/** A plan in YAML, whose one effect only a person can judge. */
const post = (runId: string): string =>
  file(
    `${runId}.yaml`,
    `kind: plan
steps:
  - id: act
    tool: post@1
    args: { name: '${runId}/act', conduct: [apply-drop, ok], blind: 0 }
    timeoutMs: 1500
`,
  );

/** What `escalations` shows once somebody is asked about a run. */
const asked = (runId: string) =>
  eventually(
    `somebody is asked about ${runId}`,
    async () => (await holdfast('escalations', '--json')).lines.find((line) => line['runId'] === runId),
    60_000,
  );

describe('a run that needs a person', () => {
  it('is submitted as YAML, explained, found in the inbox and answered', async () => {
    const runId = await world.runs.id('yaml');
    expect((await holdfast('submit', post(runId), '--run', runId, '--label', 'team=e2e')).exit).toBe(0);
    const question = (await asked(runId))?.['question'] as { readonly seq: number };
    const explained = await holdfast('explain', runId);
    expect(explained.out).toContain(`Run ${runId} waits for the answer to question ${question.seq}`);
    expect(explained.out).toContain(`holdfast answer ${runId} --question ${question.seq} --choice applied|absent|fail`);
    expect((await holdfast('effects', runId, '--json')).lines).toMatchObject([{ stepId: 'act', fate: 'in_doubt' }]);
    const listed = await holdfast('runs', '--status', 'waiting', '--label', 'team=e2e', '--json');
    expect(listed.lines.map((line) => line['runId'])).toContain(runId);

    const answer = ['--question', String(question.seq), '--choice', 'applied', '--result', '{"receipt": 7}'];
    expect((await holdfast('--as', 'ann', 'answer', runId, ...answer)).exit).toBe(0);
    await world.runs.ended(runId);
    expect((await holdfast('get', runId, '--json')).lines).toMatchObject([
      { kind: 'run', runId, status: 'ended', reason: 'succeeded', effectsApplied: 1, labels: { team: 'e2e' } },
    ]);
    const [entry] = (await holdfast('effects', runId, '--json')).lines;
    expect(entry).toMatchObject({ fate: 'applied', evidence: expect.stringContaining('says a person') as string });
  });

  it('is forked once it is over, but no effect twice that nobody has named', async () => {
    const runId = await world.runs.id('fork');
    const [first, second] = [
      effect('file', 'first'),
      effect('file', 'second', { conduct: ['refuse', 'ok'], timeoutMs: 1_500, after: ['first'] }),
    ];
    await world.runs.submit(runId, plan([first, { ...second, retry: { triesMax: 1 } }]));
    const question = (await asked(runId))?.['question'] as { readonly seq: number };
    await holdfast('answer', runId, '--question', String(question.seq), '--choice', 'fail');
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'failed' });
    const planned = await holdfast('fork', runId, '--from', 'first', '--plan', '--json');
    expect([planned.exit, planned.lines]).toMatchObject([2, [{ again: [{ stepId: 'first', repeat: 'ask' }, {}] }]]);
    const refused = await holdfast('fork', runId, '--from', 'first', '--run', `${runId}-b`);
    expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining('would or might be made twice')]);
    const forked = await holdfast('fork', runId, '--run', `${runId}-b`);
    expect(forked.exit).toBe(0);
    await world.runs.ended(`${runId}-b`);
    expect(world.ledger.entries(`${runId}/first`)).toHaveLength(1);
  });
});

describe('a plan that is wrong', () => {
  it('is refused with line and column, by its form and by the tools that are there', async () => {
    const wrong = file('wrong.yaml', 'kind: plan\nsteps:\n  - id: a\n    tool: nobody-has@1\n');
    const checked = await holdfast('validate', wrong);
    expect([checked.exit, checked.err]).toEqual([
      2,
      expect.stringMatching(/wrong\.yaml:4:5: steps\[0\]\.tool: no tool nobody-has@1/),
    ]);
    const submitted = await holdfast('submit', wrong, '--run', await world.runs.id('wrong'));
    expect([submitted.exit, submitted.err]).toEqual([2, expect.stringMatching(/wrong\.yaml:4:5: steps\[0\]\.tool: /)]);
  });
});

describe('a cluster', () => {
  it('shows its executors and lanes', async () => {
    expect((await holdfast('executors', '--json')).lines).toMatchObject([{ kind: 'executor', alive: true }]);
    const lanes = (await holdfast('lanes', '--json')).lines;
    expect(lanes).toHaveLength(4);
    for (const lane of lanes) expect(lane).toMatchObject({ kind: 'lane', epoch: 1, broken: null });
  });

  it('has its dead letters shown, and a request among them sent again', async () => {
    await put(
      world.log,
      { topic: world.names.requests, partition: 2 },
      { key: 'k', value: Buffer.from('{"nothing": 1}') },
    );
    const letters = () =>
      eventually(
        'a dead letter',
        async () => (await holdfast('dead-letters', '--json')).lines.find((line) => line['partition'] === 2),
        60_000,
      );
    const letter = await letters();
    expect(letter).toMatchObject({
      kind: 'deadLetter',
      topic: world.names.requests,
      code: 'not_cloudevent',
      sentAgain: 0,
    });
    const id = String(letter?.['id']);
    expect((await holdfast('dead-letters', id)).out).toContain('{"nothing": 1}');
    expect((await holdfast('--as', 'ann', 'dead-letters', id, '--send-again')).exit).toBe(0);
    const [after] = (await holdfast('dead-letters', id, '--json')).lines;
    expect(after).toMatchObject({ sentAgain: 1, sentAgainBy: 'ann' });
    expect((await holdfast('dead-letters', '0/999')).exit).toBe(4);
  });

  it('is found well by doctor, and what is missing is named once it is', async () => {
    const well = await holdfast('doctor', '--json');
    expect([well.exit, well.lines.filter(({ result }) => result === 'fail')]).toEqual([0, []]);
    for (const check of [
      'brokers',
      'namespace',
      'topics',
      'queues',
      'clock',
      'clocks',
      'coordinators',
      'executors',
      'reconcilers',
      'lanes',
      'tools',
    ]) {
      expect(well.lines).toContainEqual(expect.objectContaining({ kind: 'check', check }));
    }
    await world.member('coordinator-1').killWhole();
    const ill = await eventually(
      'doctor finds that nobody owns the lanes',
      async () => {
        const found = await holdfast('doctor');
        return found.exit === 1 && found.out.includes('nobody owns 4 of 4 lanes') ? found : null;
      },
      60_000,
    );
    expect(ill?.out).toContain('→ Start a coordinator');
    await world.start('coordinator-1');
  });

  it('that is not there, or has no such namespace, ends with its own exit code', async () => {
    const nowhere = commandLine(['127.0.0.1:1'], world.namespace);
    for (const args of [['runs'], ['doctor']]) {
      const { exit, out, err } = await nowhere(...args);
      expect([exit, `${out}${err}`]).toEqual([3, expect.stringContaining('cannot reach Kafka at 127.0.0.1:1')]);
    }
    const other = commandLine(kafka.brokers, 'nothing-is-there');
    expect((await other('runs')).exit).toBe(3);
    expect((await other('doctor')).exit).toBe(1);
  });
});
