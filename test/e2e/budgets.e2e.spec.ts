import { startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Plan } from '@holdfast/programs';
import { chain, from, plan, step } from './support/plans.js';
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

/** Calls one after the other; each may use 50 cents and says that it used 20. */
const metered = (count: number): Plan =>
  plan(
    Array.from({ length: count }, (_, nth) =>
      step(`s${nth}`, 'meter', { cents: 20 }, nth === 0 ? {} : { after: [`s${nth - 1}`] }),
    ),
    { output: from('steps.s0.left') },
  );
const money = { amount: '1.00', currency: 'EUR' } as const;

describe('what a run may use', () => {
  it('is reserved before each call, settled by what it says, and counted on by the next coordinator', async () => {
    const runId = await world.runs.id('metered');
    await world.runs.submit(runId, metered(4), { budget: { money, onExhausted: 'ask' } });
    const open = await world.runs.seen(runId, 'EscalationOpened');
    expect(open.data).toMatchObject({ kind: 'budget', choices: ['raise', 'end'] });
    expect(open.data.question).toContain('money:EUR 0.6/1.00, 0.50 EUR more wanted at step s3');
    await world.member('coordinator-1').kill();
    await world.start('coordinator-1');
    await world.runs.answer(runId, {
      escalation: open.seq,
      choice: 'raise',
      budget: { money: { amount: '1.10', currency: 'EUR' } },
    });
    const end = await world.runs.ended(runId);
    expect(end).toMatchObject({ reason: 'succeeded', spent: { 'money:EUR': '0.8', tokensIn: 40, 'calls:meter@1': 4 } });
    // The first call has seen what was left while it was under way.
    expect(end.output).toMatchObject({ 'money:EUR': '0.5' });
  });

  it('is never more than its tenant has, on whatever lanes its runs are', async () => {
    await world.client.setTenantBudget('acme', { budget: { effects: 5 } });
    const ids = await world.runs.ids('shared', 4);
    await Promise.all(ids.map((runId) => world.runs.submit(runId, chain('book', 2), { tenant: 'acme' })));
    const ends = await Promise.all(ids.map(async (runId) => (await world.runs.ended(runId)).reason));
    const applied = ids.flatMap((id) => [0, 1].flatMap((nth) => world.ledger.entries(`${id}/s${nth}`)));
    expect(applied.length).toBeLessThanOrEqual(5);
    expect(ends).toContain('budget_exhausted');
    expect(new Set(ends).size).toBeLessThanOrEqual(2);
  });
});
