import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { effect, plan, step } from './support/plans.js';
import type { History } from './support/runs.js';
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

const scheduledAfterCancel = (history: History) => {
  const cancelled = history.all('CancelRequested')[0]?.seq ?? Infinity;
  return history.all('StepScheduled').filter(({ seq }) => seq > cancelled);
};

describe('cancelling a run whose calls are under way', () => {
  it('tells the calls, begins nothing new, and ends with what became of each effect', async () => {
    const runId = await world.runs.id('cancelled');
    const short = { timeoutMs: 3_000 };
    const program = plan([
      effect('file', 'applied', { conduct: ['apply-hold'], ...short }),
      effect('file', 'absent', { conduct: ['hold-drop'], ...short }),
      effect('draft', 'drafting', { conduct: ['hold-drop'], ...short }),
      effect('observe', 'looking', { conduct: ['hold-drop'], ...short }),
      effect('file', 'done'),
      effect('file', 'never', { after: ['absent'] }),
    ]);
    await world.runs.submit(runId, program);
    await world.ledger.called(['applied', 'absent', 'drafting', 'looking'].map((id) => `${runId}/${id}`));
    await world.runs.seen(runId, 'StepSucceeded', ({ stepId }) => stepId === 'done');
    expect(await world.runs.cancel(runId, { reason: 'not wanted', principal: 'anna' })).toMatchObject({
      outcome: 'accepted',
    });
    await eventually(
      'every call under way has been told to stop',
      async () => {
        const { calls } = await world.ledger.state();
        const open = calls.filter(({ name, answered }) => name.startsWith(`${runId}/`) && !answered);
        return open.length === 4 && open.every(({ gone }) => gone);
      },
      60_000,
    );

    const end = await world.runs.ended(runId);
    expect(end).toMatchObject({ reason: 'cancelled', detail: 'not wanted', report: { inDoubt: [], running: [] } });
    expect(end.cause).toMatchObject({ kind: 'cancel', by: 'anna', detail: 'not wanted' });
    expect(end.report.applied).toBe(2);
    expect(end.report.absent.map(({ stepId }) => stepId)).toEqual(['absent']);
    const history = await world.runs.history(runId);
    expect(history.all('CancelRequested')).toMatchObject([{ data: { principal: 'anna', mode: 'abort' } }]);
    expect(scheduledAfterCancel(history)).toEqual([]);
    expect(world.ledger.entries(`${runId}/never`)).toEqual([]);
    expect(world.ledger.entries(`${runId}/applied`)).toHaveLength(1);
    expect(await world.ledger.calls(`${runId}/absent`)).toHaveLength(1);
  });

  it('ends by its deadline although a tool ignores it; the report names the effect and is amended later', async () => {
    const runId = await world.runs.id('hung');
    await world.runs.submit(runId, plan([effect('hang', 'hangs', { timeoutMs: 8_000 })]));
    await world.ledger.called([`${runId}/hangs`]);
    await world.runs.cancel(runId, { withinMs: 1_000 });
    const end = await world.runs.ended(runId);
    expect(end.reason).toBe('cancelled');
    const open = [...end.report.running, ...end.report.inDoubt];
    expect(open).toMatchObject([{ stepId: 'hangs', tool: 'hang@1' }]);

    const amended = await world.runs.seen(runId, 'ReportAmended');
    expect(amended.data).toMatchObject({ stepId: 'hangs', change: 'applied' });
    expect(amended.data.report).toMatchObject({ applied: 1, inDoubt: [], running: [] });
    const history = await world.runs.history(runId);
    expect(history.all('RunEnded')).toHaveLength(1);
    expect(history.all('DoubtSettled')).toMatchObject([{ data: { verdict: 'applied' } }]);
  });

  it('makes no settling call afterwards: a keyed tool that cannot be asked is left to a person', async () => {
    const runId = await world.runs.id('keyed');
    await world.runs.submit(runId, plan([effect('pay', 'pays', { conduct: ['apply-hold', 'ok'], timeoutMs: 2_000 })]));
    await world.ledger.called([`${runId}/pays`]);
    await world.runs.cancel(runId, { withinMs: 4_000 });
    const end = await world.runs.ended(runId);
    expect(end).toMatchObject({ reason: 'cancelled', report: { inDoubt: [{ stepId: 'pays' }] } });
    const question = await world.runs.seen(runId, 'EscalationOpened');
    const [entry] = world.ledger.entries(`${runId}/pays`);
    const result = { receipt: entry?.receipt ?? 0 };
    await world.runs.answer(runId, { escalation: question.seq, choice: 'applied', result });
    const amended = await world.runs.seen(runId, 'ReportAmended');
    expect(amended.data.report).toMatchObject({ applied: 1, inDoubt: [] });
    expect(await world.ledger.calls(`${runId}/pays`)).toHaveLength(1);
  });
});

describe('asking for a cancel', () => {
  it('is the same cancel when asked again, changes nothing of an ended run, and waits for an unknown one', async () => {
    const runId = await world.runs.id('twice');
    await world.runs.submit(runId, plan([effect('file', 'waits', { conduct: ['hold-drop'], timeoutMs: 2_000 })]));
    await world.ledger.called([`${runId}/waits`]);
    expect(await world.runs.cancel(runId, { requestId: 'c-1' })).toMatchObject({ outcome: 'accepted' });
    expect(await world.runs.cancel(runId, { requestId: 'c-1' })).toMatchObject({ outcome: 'accepted' });
    expect(await world.runs.cancel(runId)).toMatchObject({ outcome: 'unchanged' });
    await world.runs.ended(runId);
    expect(await world.runs.cancel(runId)).toMatchObject({ outcome: 'unchanged', code: 'run_ended' });
    const history = await world.runs.history(runId);
    expect(history.all('CancelRequested')).toHaveLength(1);
    expect(history.all('RunEnded')).toHaveLength(1);

    const unknown = await world.runs.id('unknown');
    expect(await world.runs.cancel(unknown)).toMatchObject({ outcome: 'accepted', code: 'remembered' });
    expect(await world.runs.cancel(unknown)).toMatchObject({ outcome: 'unchanged' });
    await world.runs.submit(unknown, plan([effect('file', 'never')]));
    expect(await world.runs.ended(unknown)).toMatchObject({ reason: 'cancelled', report: { applied: 0 } });
    expect(await world.ledger.calls(`${unknown}/never`)).toEqual([]);
  });

  it('ends a run that has not begun, and it never begins', async () => {
    await world.onlyExecutors();
    const runId = await world.runs.id('early');
    await world.runs.submit(runId, plan([effect('file', 'act'), step('pure', 'add', { numbers: [1] })]));
    await world.runs.seen(runId, 'RunWaiting');
    await world.runs.cancel(runId);
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'cancelled', report: { applied: 0 } });
    await world.start('executor-1');
    await world.runs.run('after', plan([effect('file', 'act')]));
    expect((await world.runs.history(runId)).types()).toEqual([
      'RunAccepted',
      'RunWaiting',
      'CancelRequested',
      'RunEnded',
    ]);
    expect(await world.ledger.calls(`${runId}/act`)).toEqual([]);
  });
});
