import { routes } from '@holdfast/api';
import { encode } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { eventually } from '@holdfast/dev';
import type { Plan } from '@holdfast/programs';
import { effect, plan } from '../e2e/support/plans.js';
import { put } from '../e2e/support/topics.js';
import { gateway, kafka, throughAGateway, WAIT, world } from '../e2e/support/through-gateway.js';

const LANES = 4;
throughAGateway({ HOLDFAST_SHADOW_RATE: '0' });

const entries = (runId: string) => world.ledger.entries(`${runId}/credit`);

describe('case 19: a dead letter that is sent again, twice, and while its request is being handled', () => {
  const credit = plan([effect('book', 'credit')]);
  /** Its call takes a while, and begins when somebody says so. */
  const later: Plan = plan([
    { id: 'q', ask: { question: 'Now?', choices: ['yes'] } },
    effect('book', 'credit', { conduct: ['slow:1200'], after: ['q'] }),
  ]);
  /** The very request, as its sender wrote it, and with a header under which nobody can read it. */
  const delivered = (runId: string, program: Plan) => {
    const data = { requestId: `start ${runId}`, runId, program, input: { run: runId } };
    const outer = { version: 1, id: `id ${runId}`, source: 'shop', subject: runId, principal: 'shop' };
    return encode({ ...outer, type: 'SubmitRun', time: new Date().toISOString(), data });
  };
  const place = (runId: string) => ({ topic: world.names.requests, partition: laneOf(runId, LANES) });
  const bad = { ce_specversion: '1.0' };
  const letterOf = async (runId: string) => {
    const { items } = await gateway.until(routes.listDeadLetters, { query: { limit: 200 } }, (said) =>
      said.items.some(({ key }) => key === runId),
    );
    const [partition = '', offset = ''] = (items.find(({ key }) => key === runId)?.id ?? '').split('/');
    return { partition, offset };
  };
  const press = (params: { partition: string; offset: string }, who: string) =>
    gateway.get(routes.sendAgain, { params, body: { waitMs: WAIT }, headers: { 'x-holdfast-principal': who } });

  it('has made its effect once, and each press is kept with who pressed and what was said', async () => {
    const runId = await world.runs.id('pay-31');
    const value = delivered(runId, credit);
    await put(world.log, place(runId), { key: runId, value });
    await world.runs.ended(runId);
    expect(entries(runId)).toHaveLength(1);
    await put(world.log, place(runId), { key: runId, value, headers: bad });
    const letter = await letterOf(runId);
    const first = await press(letter, 'ann');
    expect(first).toMatchObject({ sentAgain: 1, sentAgainBy: 'ann', answer: { requestId: `start ${runId}`, runId } });
    await Promise.all([press(letter, 'bob'), press(letter, 'bob')]);
    const kept = await gateway.until(routes.getDeadLetter, { params: letter }, ({ sentAgain }) => sentAgain === 3);
    expect(kept.sentAgainBy).toBe('bob');
    expect(entries(runId)).toHaveLength(1);
    const history = await world.runs.history(runId);
    expect([history.all('RunAccepted').length, history.all('StepScheduled').length]).toEqual([1, 1]);

    const busy = await world.runs.id('pay-32');
    const order = delivered(busy, later);
    await put(world.log, place(busy), { key: busy, value: order });
    const { seq } = await world.runs.seen(busy, 'EscalationOpened');
    await put(world.log, place(busy), { key: busy, value: order, headers: bad });
    const second = await letterOf(busy);
    await world.runs.answer(busy, { escalation: seq, choice: 'yes' });
    await world.runs.seen(busy, 'StepScheduled');
    const presses = await Promise.all([press(second, 'eve'), press(second, 'eve')]);
    expect(presses).toMatchObject([{ answer: { runId: busy } }, { answer: { runId: busy } }]);
    await world.runs.ended(busy);
    expect(entries(busy)).toHaveLength(1);
    expect(await world.ledger.calls(`${busy}/credit`)).toHaveLength(1);
  });
});

describe('case 31: a start that is acknowledged just before whoever acknowledged it dies', () => {
  const program = plan([effect('post', 'credit')]);
  const body = (runId: string) => ({ runId, program, input: { run: runId }, requestId: `start ${runId}` });
  const ROUNDS = 10;
  const STARTS = 20;

  /** The starts that were acknowledged before the process was gone. */
  const killedWhileStarting = async (round: number): Promise<readonly string[]> => {
    const ids = await world.runs.ids(`s-${round}`, STARTS);
    const acknowledged: string[] = [];
    const asking = ids.map(async (runId) => {
      const { status } = await gateway.ask(routes.submitRun, { body: body(runId) });
      if (status === 202 || status === 200) acknowledged.push(runId);
    });
    await eventually('some are acknowledged', async () => acknowledged.length > round, 30_000);
    await gateway.member.killWhole();
    await Promise.allSettled(asking);
    await gateway.member.start();
    return acknowledged;
  };

  it('is there and goes on; without a broker it is not acknowledged, and may be repeated', async () => {
    const all: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) all.push(...(await killedWhileStarting(round)));
    expect(all.length).toBeGreaterThanOrEqual(ROUNDS);
    const ends = await Promise.all(all.map((runId) => world.runs.ended(runId)));
    expect(new Set(ends.map(({ reason }) => reason))).toEqual(new Set(['succeeded']));
    for (const runId of all) expect(entries(runId)).toHaveLength(1);

    const runId = await world.runs.id('s-down');
    await kafka.kill();
    const refused = await gateway.problem(routes.submitRun, { body: body(runId) });
    expect(refused).toMatchObject({ status: 503, requestId: `start ${runId}` });
    await kafka.restart();
    const again = async (): Promise<boolean> => {
      const { status } = await gateway.ask(routes.submitRun, { body: body(runId) });
      return status === 202 || status === 200;
    };
    await eventually('it is acknowledged', again, 60_000);
    await again();
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
    expect(entries(runId)).toHaveLength(1);
    expect((await world.runs.history(runId)).all('RunAccepted')).toHaveLength(1);
  });
});
