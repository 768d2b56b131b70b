import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Plan } from '@holdfast/programs';
import type { Conduct } from '../e2e/support/conduct.js';
import { effect, from, plan, step } from '../e2e/support/plans.js';
import { World } from '../e2e/support/world.js';
import { refusalOf, soundEnd, succeededWithEachOnce } from './support/outcomes.js';
import { Onlooker } from './support/onlooker.js';
import { ordersIn } from './support/records.js';

const PARTITIONS = 4;
let kafka: KafkaCluster;
let world: World;
let onlooker: Onlooker;
let replaced: ReturnType<typeof coordinatorsAreReplaced>;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers, partitions: PARTITIONS });
  onlooker = await Onlooker.of(world);
  // It takes its time, and the other cases go on meanwhile: they do not mind who coordinates.
  replaced = coordinatorsAreReplaced();
  replaced.catch(() => undefined);
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

/**
 * Of four coordinators one leaves in order, one dies with starts written and nobody told, one dies with orders sent and
 * that not recorded. Each start is delivered twice; its run id is its delivery id.
 */
const coordinatorsAreReplaced = async () => {
  const dying = [world.member('coordinator-2'), world.member('coordinator-4')] as const;
  await Promise.all([
    dying[0].start({ HOLDFAST_FAILPOINT: 'coordinator.publish.after:3=kill' }),
    dying[1].start({ HOLDFAST_FAILPOINT: 'coordinator.append.after:6=kill' }),
    world.start('coordinator-3'),
  ]);
  await world.leads('coordinator-2', 'coordinator-3', 'coordinator-4');
  const mails = await world.runs.ids('mail', 40);
  const starts = await world.runs.ids('d', 50);
  const submitted = (ids: readonly string[], program: Plan) => ids.map((runId) => world.runs.submit(runId, program));
  const sent = submitted(mails, plan([effect('post', 'mail', { conduct: ['slow:300'] })]));
  const pull = plan([effect('post', 'pull-request')]);
  const first = submitted(starts, pull);
  await Promise.race(first);
  const left = world.member('coordinator-1').stop(20_000);
  const answers = await Promise.all([...first, ...submitted(starts, pull)]);
  await Promise.all(sent);
  expect(await left).toEqual({ code: 0, signal: null });
  for (const one of dying) expect(await one.exited).toEqual({ code: null, signal: 'SIGKILL' });
  return { mails, starts, answers };
};

const times = async (name: string): Promise<number> => (await world.ledger.calls(name)).length;

describe('case 4: a run that has failed is not begun again from its first step', () => {
  const program = plan([
    effect('post', 'create'),
    effect('draft', 'enrich', { after: ['create'], conduct: ['refuse'], retry: { triesMax: 3, backoffMs: 50 } }),
  ]);

  it('tries the failing step alone, and asking for the run again or pressing "retry" repeats no effect', async () => {
    const { runId, end } = await world.runs.run('case', program);
    expect(end).toMatchObject({ reason: 'failed', report: { applied: 1, stepsFailed: 1 } });
    expect(end.detail).toContain('enrich');
    expect(await times(`${runId}/enrich`)).toBe(3);

    expect(await world.runs.submit(runId, program)).toMatchObject({ outcome: 'unchanged' });
    expect(await refusalOf(world.runs.submit(runId, plan([effect('post', 'create')])))).toBe('run_id_taken');
    expect(await refusalOf(world.runs.answer(runId, { stepId: 'create', choice: 'retry' }))).toBe('run_ended');
    await soundEnd(onlooker, runId);
    expect(await times(`${runId}/create`)).toBe(1);
    expect(world.ledger.entries(`${runId}/create`)).toHaveLength(1);
  });

  it('has no retry of whole runs: a plan that asks for one is refused', async () => {
    const runId = await world.runs.id('case');
    const retried = { ...program, retry: { triesMax: 2 } } as Plan;
    expect(await refusalOf(world.runs.submit(runId, retried))).toBe('invalid_program');
    expect((await world.runs.history(runId)).records).toEqual([]);
  });
});

describe('case 7: a booking that lands after the caller stopped waiting', () => {
  it('is in doubt, not failed; it is asked about, found, and never asked for a second time', async () => {
    const runId = await world.runs.id('slot');
    // A second booking would be turned down, as the slot is taken.
    const book = effect('slot', 'book', { conduct: ['wait', 'answer:409'], timeoutMs: 1_000 });
    await world.runs.submit(runId, plan([book], { output: from('steps.book.receipt') }));
    const doubt = await world.runs.seen(runId, 'DoubtOpened');
    expect(doubt.data).toMatchObject({ cause: 'outcome_unknown', stepId: 'book', death: false });
    await world.ledger.release(`${runId}/book`);

    const { end, history } = await succeededWithEachOnce(onlooker, runId, ['book']);
    expect(end.output).toBe(world.ledger.entries(`${runId}/book`)[0]?.receipt);
    expect(history.all('StepFailed')).toEqual([]);
    expect(history.all('DoubtSettled')).toMatchObject([{ data: { verdict: 'applied', by: 'reconciler' } }]);
    expect(await times(`${runId}/book`)).toBe(1);
  });

  it('cannot be asked for again by a model: programs that loop around one are refused', async () => {
    const loop = { kind: 'agent', tools: ['slot@1'] } as unknown as Plan;
    expect(await refusalOf(world.runs.submit(await world.runs.id('agent'), loop))).toBe('invalid_program');
  });
});

describe('case 14: a mail server that delivers and never answers', () => {
  it('leaves the mail in doubt for a person, and it is not sent again', async () => {
    const runId = await world.runs.id('mail');
    await world.runs.submit(runId, plan([effect('post', 'mail', { conduct: ['apply-hold', 'ok'], timeoutMs: 800 })]));
    onlooker.careFor(runId);
    const { history } = await succeededWithEachOnce(onlooker, runId, ['mail']);
    expect(history.all('EscalationOpened')).toHaveLength(1);
    expect(history.all('StepScheduled')).toHaveLength(1);
    expect(await times(`${runId}/mail`)).toBe(1);
  });

  it('is sent once also where its order is published twice, since a copy names the same attempt', async () => {
    const { mails } = await replaced;
    await Promise.all(mails.map((runId) => succeededWithEachOnce(onlooker, runId, ['mail'])));
    for (const runId of mails) expect(await times(`${runId}/mail`)).toBe(1);
    const orders = (await ordersIn(world, PARTITIONS)).filter(({ runId }) => mails.includes(runId));
    const ordered = orders.map(({ attemptId }) => attemptId);
    expect(new Set(ordered).size).toBe(mails.length);
    expect(ordered.length).toBeGreaterThan(mails.length);
  });
});

describe('case 6: a start that is delivered again while coordinators are replaced', () => {
  it('is one run for each delivery id, and both deliveries are told so', async () => {
    const { starts, answers } = await replaced;
    expect(answers.map(({ runId }) => runId)).toEqual([...starts, ...starts]);
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(starts.length);
    expect(answers.filter(({ outcome }) => outcome === 'unchanged')).toHaveLength(starts.length);
    await Promise.all(starts.map((runId) => succeededWithEachOnce(onlooker, runId, ['pull-request'])));
  });
});

describe('case 22: the engine is gone while the worker goes on', () => {
  it('finds what was done meanwhile, and begins nothing of it beside or after that', async () => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    const runId = await world.runs.id('items');
    const post = { ...step('post', 'post', { name: { $text: '{input.run}/{item}' }, conduct: ['slow:250'] }) };
    const program = plan([{ id: 'each', forEach: from('input.items'), window: 4, steps: [post] }]);
    await world.runs.submit(runId, program, { input: { items } });
    await world.ledger.called([`${runId}/4`]);
    await world.member('coordinator-3').kill();
    await eventually('what was under way is done', async () => {
      const calls = (await world.ledger.state()).calls.filter(({ name }) => name.startsWith(`${runId}/`));
      return calls.every(({ answered }) => answered);
    });
    await world.start('coordinator-3');

    const { history, end } = await succeededWithEachOnce(onlooker, runId, items.map(String));
    expect(end.report).toMatchObject({ stepsSucceeded: 20, applied: 20 });
    expect(history.all('DoubtOpened')).toEqual([]);
    expect(history.all('StepScheduled').filter(({ data }) => data.attempt > 0)).toEqual([]);
    for (const item of items) expect(await times(`${runId}/${item}`)).toBe(1);
  });
});

describe('case 23: nothing below the runtime tries again by itself', () => {
  const answers = ['apply-drop', 'drop', 'apply-answer:503', 'apply-answer:500', 'answer:307', 'answer:429'] as const;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    for (const answer of answers) ids.set(answer, await world.runs.id('chat'));
    // The one before leaves an open connection behind, which such libraries like to try again on.
    const program = (answer: Conduct) =>
      plan([
        effect('post', 'before'),
        effect('post', 'chat', { conduct: [answer, 'ok'], after: ['before'], timeoutMs: 1_000 }),
      ]);
    await Promise.all([...ids].map(([answer, runId]) => world.runs.submit(runId, program(answer as Conduct))));
  });

  it.each(answers)('after %s each request is an attempt, and an unclear one is the last', async (answer) => {
    const runId = ids.get(answer) ?? '';
    // The author of the tool promises that a client error changes nothing: that one may be tried again.
    const isClear = answer === 'answer:429';
    if (!isClear) {
      await world.runs.seen(runId, 'EscalationOpened');
      expect(await times(`${runId}/chat`)).toBe(1);
      expect(world.ledger.entries(`${runId}/chat`)).toHaveLength(answer.startsWith('apply') ? 1 : 0);
      onlooker.careFor(runId);
    }
    const { history } = await succeededWithEachOnce(onlooker, runId, ['chat']);
    const attempts = history.all('StepScheduled', 'chat');
    expect(attempts).toHaveLength(answer.startsWith('apply') ? 1 : 2);
    expect(await times(`${runId}/chat`)).toBe(attempts.length);
  });
});
