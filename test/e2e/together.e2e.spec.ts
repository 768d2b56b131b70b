import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Json, Plan, PlanRun } from '@holdfast/programs';
import { chain, effect, from, plan } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers });
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const child = (id: string, program: Plan, more: Partial<PlanRun['run']> = {}): PlanRun => ({
  id,
  run: { program: program as unknown as Json, input: from('input'), ...more },
});

describe('runs on several lanes', () => {
  it('that share a key are at work one after the other, also when the owner of their lanes is killed', async () => {
    const runIds = await world.runs.ids('keyed', 6);
    const key = runIds[0] ?? '';
    const concurrency = { key, policy: 'queue' } as const;
    for (const runId of runIds) await world.runs.submit(runId, chain('file', 2), { concurrency });
    await world.runs.seen(key, 'KeyGranted');
    await world.member('coordinator-1').kill();
    await world.start('coordinator-1');
    const spans: { readonly from: string; readonly to: string }[] = [];
    for (const runId of runIds) {
      expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
      const { records } = await world.client.readRun(runId);
      const time = (type: string) => records.find(({ event }) => event.type === type)?.time ?? '';
      spans.push({ from: time('KeyGranted'), to: time('RunEnded') });
    }
    const inOrder = spans.toSorted((a, b) => a.from.localeCompare(b.from));
    for (const [index, { from: begun }] of inOrder.entries())
      if (index > 0) expect(begun >= (inOrder[index - 1]?.to ?? '')).toBe(true);
    expect(world.ledger.entries(`${key}/s0`)).toHaveLength(1);
  });

  it('a newer one replaces the one at work', async () => {
    const [older = '', newer = ''] = await world.runs.ids('replaced', 2);
    const concurrency = { key: older, policy: 'cancel-older' } as const;
    await world.runs.submit(older, plan([effect('file', 'a', { conduct: ['hold-drop'], timeoutMs: 3_000 })]), {
      concurrency,
    });
    await world.ledger.called([`${older}/a`]);
    await world.runs.submit(newer, chain('file', 1), { concurrency });
    expect(await world.runs.ended(newer)).toMatchObject({ reason: 'succeeded' });
    const end = await world.runs.ended(older);
    expect(end.reason).toBe('superseded');
    expect(end.detail).toContain(newer);
  });

  it('begin runs, and have their output as a result', async () => {
    const runId = await world.runs.id('parent');
    const inner: Plan = { ...chain('file', 1), output: from('steps.s0') };
    const program: Plan = {
      ...plan([child('a', inner), child('b', inner)]),
      output: [from('steps.a'), from('steps.b')],
    };
    await world.runs.submit(runId, program);
    const end = await world.runs.ended(runId);
    expect(end.reason).toBe('succeeded');
    expect(end.output).toHaveLength(2);
    expect(await world.runs.ended(`${runId}~a`)).toMatchObject({ reason: 'succeeded', parent: { runId, stepId: 'a' } });
  });

  it('take along what they have begun when they are cancelled', async () => {
    const runId = await world.runs.id('stopped');
    const held = plan([effect('file', 'held', { conduct: ['hold-drop'], timeoutMs: 3_000 })]);
    await world.runs.submit(runId, plan([child('a', plan([child('b', held)]))]));
    await world.ledger.called([`${runId}/held`]);
    await world.runs.cancel(runId, { withinMs: 20_000 });
    for (const one of [runId, `${runId}~a`, `${runId}~a~b`])
      expect(await world.runs.ended(one)).toMatchObject({ reason: 'cancelled' });
  });

  it('have their effects undone, the last one first', async () => {
    const runId = await world.runs.id('undone');
    const program = plan([
      effect('reserve', 'car'),
      effect('reserve', 'room', { after: ['car'] }),
      effect('file', 'held', { after: ['room'], conduct: ['hold-drop'], timeoutMs: 3_000 }),
    ]);
    await world.runs.submit(runId, program, { compensate: 'on_cancel' });
    await world.ledger.called([`${runId}/held`]);
    await world.runs.cancel(runId, { withinMs: 20_000 });
    await world.runs.ended(runId);
    await eventually(
      'the run is told that its effects are undone',
      async () => (await world.runs.history(runId)).all('CompensationEnded').length === 1,
      60_000,
    );
    const history = await world.runs.history(runId);
    expect(history.all('CompensationEnded')).toMatchObject([{ data: { outcome: 'succeeded', undone: 2, held: [] } }]);
    const undone = ['car', 'room'].map((id) => world.ledger.entries(`undo of ${runId}/${id}`).length);
    expect(undone).toEqual([1, 1]);
  });
});
