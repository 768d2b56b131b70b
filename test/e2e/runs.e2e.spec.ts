import { startKafka, type KafkaCluster } from '@holdfast/dev';
import { RequestRefused } from '@holdfast/sdk';
import { effect, from, plan, step } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open(kafka);
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const sums = plan(
  [
    step('first', 'add', { numbers: from('input.numbers') }),
    step('twice', 'add', { numbers: [from('steps.first.sum'), from('steps.first.sum')] }),
  ],
  { output: from('steps.twice.sum') },
);

describe('a plan of pure steps', () => {
  it('hands results on from step to step and ends with its output', async () => {
    const runId = await world.runs.id('sums');
    const answer = await world.runs.submit(runId, sums, { input: { numbers: [1, 2, 3] } });
    expect(answer).toMatchObject({ outcome: 'accepted', runId });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 12 });

    const history = await world.runs.history(runId);
    // It may have had to wait until the executor was heard of.
    expect(history.types().filter((type) => type !== 'RunWaiting')).toEqual([
      'RunAccepted',
      'StepScheduled',
      'StepSucceeded',
      'StepScheduled',
      'StepSucceeded',
      'RunEnded',
    ]);
    expect(history.checked).toMatchObject({ void: 0, repeated: 0 });
  });

  it('runs the steps of each item of a list', async () => {
    const each = plan([
      {
        id: 'each',
        forEach: from('input.numbers'),
        window: 4,
        steps: [
          step('once', 'add', { numbers: [from('item')] }),
          step('twice', 'add', { numbers: [from('steps.once.sum'), from('steps.once.sum')] }),
        ],
      },
    ]);
    const runId = await world.runs.id('each');
    await world.runs.submit(runId, each, { input: { numbers: Array.from({ length: 40 }, (_, index) => index) } });
    expect((await world.runs.ended(runId)).report).toMatchObject({ stepsSucceeded: 80, stepsFailed: 0 });
  });
});

describe('submitting a run', () => {
  it('changes nothing when the same is submitted again, and refuses other content under its id', async () => {
    const runId = await world.runs.id('again');
    await world.runs.submit(runId, sums, { input: { numbers: [1] } });
    expect(await world.runs.submit(runId, sums, { input: { numbers: [1] } })).toMatchObject({ outcome: 'unchanged' });

    const other = world.runs.submit(runId, sums, { input: { numbers: [2] } });
    await expect(other).rejects.toThrow(RequestRefused);
    await expect(other).rejects.toMatchObject({ reply: { code: 'run_id_taken' } });

    await world.runs.ended(runId);
    expect(await world.runs.submit(runId, sums, { input: { numbers: [1] } })).toMatchObject({ outcome: 'unchanged' });
    const history = await world.runs.history(runId);
    expect(history.all('RunAccepted')).toHaveLength(1);
    expect(history.all('RunEnded')).toHaveLength(1);
  });

  it('gives a repeated request its first answer, for an accepted one and a refused one', async () => {
    const runId = await world.runs.id('repeated');
    const submission = { runId, program: sums, input: { numbers: [1] }, requestId: `submit-${runId}` };
    const first = await world.client.submit(submission);
    expect(first).toMatchObject({ outcome: 'accepted', requestId: `submit-${runId}` });
    expect(await world.client.submit(submission)).toMatchObject({ outcome: 'accepted' });
    expect((await world.runs.history(runId)).all('RunAccepted')).toHaveLength(1);

    const unknown = { runId: await world.runs.id('bad'), program: plan([step('a', 'nowhere', {})]), requestId: 'r-1' };
    const refused = () => world.client.submit(unknown);
    await expect(refused()).rejects.toMatchObject({ reply: { code: 'invalid_program' } });
    await expect(refused()).rejects.toMatchObject({ reply: { code: 'invalid_program' } });
  });

  it('refuses what cannot run, naming each place, and has done nothing of it', async () => {
    const runId = await world.runs.id('refused');
    const bad = plan([
      effect('file', 'a', { after: ['b'] }),
      effect('file', 'b', { after: ['a'] }),
      step('c', 'nowhere', {}),
      step('d', 'add', { numbers: 'none' }),
      step('e', 'add', { numbers: [from('steps.missing.sum')] }),
    ]);
    const submitted = world.runs.submit(runId, bad);
    await expect(submitted).rejects.toThrow(/nowhere@1/);
    await expect(submitted).rejects.toThrow(/missing/);
    expect((await world.runs.history(runId)).records).toEqual([]);
    expect(world.ledger.entries(`${runId}/a`)).toEqual([]);
  });
});

describe('a service that is asked to end', () => {
  it('ends with exit code 0, and what it had under way is finished', async () => {
    await world.start('executor-2');
    const runId = await world.runs.id('drained');
    const slow = Array.from({ length: 6 }, (_, index) => effect('file', `s${index}`, { conduct: ['slow:800'] }));
    await world.runs.submit(runId, plan(slow));
    await world.ledger.called(slow.map(({ id }) => `${runId}/${id}`));

    expect(await world.member('executor-2').stop(20_000)).toEqual({ code: 0, signal: null });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', report: { applied: 6 } });
    for (const { id } of slow) expect(world.ledger.entries(`${runId}/${id}`)).toHaveLength(1);
    expect((await world.runs.history(runId)).all('DoubtOpened')).toEqual([]);
  });
});
