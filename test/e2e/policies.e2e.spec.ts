import { startKafka, type KafkaCluster } from '@holdfast/dev';
import type { Conduct } from './support/conduct.js';
import { effect, from, plan, step } from './support/plans.js';
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

const tools = ['observe', 'draft', 'pay', 'book', 'file', 'post'] as const;
type ToolName = (typeof tools)[number];
type Fate = 'applied' | 'absent';
type Case = { readonly tool: ToolName; readonly fate: Fate; readonly runId: string };

/** What the call that is under way at the kill does; the next one is answered. */
const conductOf: Readonly<Record<Fate, readonly Conduct[]>> = {
  applied: ['apply-hold', 'ok'],
  absent: ['hold-drop', 'ok'],
};

const programOf = (tool: ToolName, fate: Fate) =>
  plan(
    [
      effect(tool, 'act', { conduct: conductOf[fate], blind: tool === 'file' ? 1 : 0 }),
      effect('file', 'next', { after: ['act'] }),
    ],
    { output: from('steps.act.receipt') },
  );

describe('a worker that is killed while calls are under way', () => {
  const cases: Case[] = [];
  const histories = new Map<string, History>();
  const caseOf = (tool: ToolName, fate: Fate): Case & { readonly name: string; readonly history: History } => {
    const found = cases.find((one) => one.tool === tool && one.fate === fate) as Case;
    return { ...found, name: `${found.runId}/act`, history: histories.get(found.runId) as History };
  };

  // One kill hits a call of each policy, with its effect applied and not applied.
  beforeAll(async () => {
    for (const tool of tools) {
      for (const fate of ['applied', 'absent'] as const) {
        cases.push({ tool, fate, runId: await world.runs.id(`${tool}-${fate}`) });
      }
    }
    await Promise.all(cases.map(({ tool, fate, runId }) => world.runs.submit(runId, programOf(tool, fate))));
    await world.ledger.called(cases.map(({ runId }) => `${runId}/act`));
    world.member('executor-1').killWorker();

    const person = cases.filter(({ tool }) => tool === 'post').map((one) => answerAsItWas(one));
    await Promise.all([...person, ...cases.map(({ runId }) => world.runs.ended(runId))]);
    for (const { runId } of cases) histories.set(runId, await world.runs.history(runId));
  });

  const answerAsItWas = async ({ runId, fate }: Case): Promise<void> => {
    await world.runs.seen(runId, 'EscalationOpened');
    const [entry] = world.ledger.entries(`${runId}/act`);
    const result = entry === undefined ? {} : { result: { receipt: entry.receipt } };
    await world.runs.answer(runId, { stepId: 'act', choice: fate, note: 'looked into the ledger', ...result });
  };

  it('leaves no run unfinished and loses no result', () => {
    for (const { runId } of cases) {
      const [end] = histories.get(runId)?.all('RunEnded') ?? [];
      expect(end?.data).toMatchObject({ reason: 'succeeded' });
      // What the run returns is the receipt of its entry: also where nobody ever answered the call that made it.
      const receipts = world.ledger.entries(`${runId}/act`).map(({ receipt }) => receipt);
      expect(receipts).toContain(end?.data.output);
    }
  });

  it.each(['pay', 'book', 'file', 'post'] as const)('has made each effect of %s exactly once', (tool) => {
    for (const fate of ['applied', 'absent'] as const) {
      expect(world.ledger.entries(caseOf(tool, fate).name)).toHaveLength(1);
      expect(world.ledger.entries(`${caseOf(tool, fate).runId}/next`)).toHaveLength(1);
    }
  });

  it('simply runs a pure step again, without any doubt', async () => {
    for (const fate of ['applied', 'absent'] as const) {
      const { history, name } = caseOf('observe', fate);
      expect(history.types('act')).not.toContain('DoubtOpened');
      expect(await world.ledger.calls(name)).toHaveLength(2);
    }
  });

  it('runs a repeatable step again by its policy, and says so', async () => {
    for (const fate of ['applied', 'absent'] as const) {
      const { history, name } = caseOf('draft', fate);
      expect(history.all('DoubtOpened', 'act')).toMatchObject([{ data: { cause: 'session_ended', holds: 'none' } }]);
      expect(history.all('DoubtSettled', 'act')).toMatchObject([{ data: { verdict: 'rerun', by: 'policy' } }]);
      expect(await world.ledger.calls(name)).toHaveLength(2);
    }
  });

  it.each(['pay', 'book'] as const)('settles a doubt about %s with another call under the same key', async (tool) => {
    for (const fate of ['applied', 'absent'] as const) {
      const { history, name } = caseOf(tool, fate);
      const [first, settling] = history.all('StepScheduled', 'act');
      expect(settling?.data).toMatchObject({ settling: true, key: first?.data.key, argsHash: first?.data.argsHash });
      expect(history.all('DoubtSettled', 'act').at(-1)?.data).toMatchObject({ verdict: 'applied' });
      const keys = (await world.ledger.calls(name)).map(({ key }) => key);
      expect(new Set(keys).size).toBe(1);
    }
  });

  it('asks a verifiable tool, keeps the evidence of each question, and recovers the result', async () => {
    const { history, name } = caseOf('file', 'applied');
    const [doubt] = history.all('DoubtOpened', 'act');
    expect(doubt?.data).toMatchObject({ cause: 'session_ended', holds: 'run', death: true });
    const [probe] = history.all('ProbeRecorded', 'act');
    expect(probe?.data).toMatchObject({ doubtSeq: doubt?.seq, probe: 1 });
    expect(probe?.data.evidence.summary).toContain('cannot tell yet');
    const [settled] = history.all('DoubtSettled', 'act');
    expect(settled?.data).toMatchObject({ doubtSeq: doubt?.seq, verdict: 'applied', by: 'reconciler' });
    expect(settled?.data.evidence.summary).toMatch(/^entry \d+ under /);
    expect(history.all('StepSucceeded', 'act')).toMatchObject([{ data: { by: 'verdict' } }]);
    expect(await world.ledger.calls(name)).toHaveLength(1);
  });

  it('counts an absence only when it was asked for after the effect could no longer land', async () => {
    const { history, name } = caseOf('file', 'absent');
    const [doubt] = history.all('DoubtOpened', 'act');
    const [settled] = history.all('DoubtSettled', 'act');
    expect(settled?.data).toMatchObject({ verdict: 'absent', by: 'reconciler' });
    expect(settled?.data.evidence.summary).toMatch(/^no entry under /);
    expect(settled?.data.askedAt).toBeGreaterThanOrEqual(doubt?.data.settledAt ?? Infinity);
    expect(history.all('StepScheduled', 'act').map(({ data }) => data.attempt)).toEqual([0, 1]);
    expect(await world.ledger.calls(name)).toHaveLength(2);
  });

  it('asks a person about an unprotected tool once nothing can land any more', () => {
    for (const fate of ['applied', 'absent'] as const) {
      const { history } = caseOf('post', fate);
      const [doubt] = history.all('DoubtOpened', 'act');
      const [question] = history.all('EscalationOpened', 'act');
      expect(question?.data).toMatchObject({ kind: 'doubt', choices: ['applied', 'absent', 'fail'] });
      const opened = history.records.find(({ lane }) => lane.seq === question?.seq);
      expect(Date.parse(opened?.time ?? '')).toBeGreaterThanOrEqual(doubt?.data.settledAt ?? Infinity);
      expect(history.all('DoubtSettled', 'act')).toMatchObject([{ data: { verdict: fate, by: 'person' } }]);
    }
  });

  it('starts no effect of a run while a doubt holds it', () => {
    for (const history of histories.values()) expect(history.scheduledWhileHeld()).toEqual([]);
  });

  it('says in the report of each run what was applied and what was found absent', () => {
    for (const { tool, fate, runId } of cases) {
      const [end] = histories.get(runId)?.all('RunEnded') ?? [];
      expect(end?.data.report).toMatchObject({ inDoubt: [], running: [], conflicts: [], stepsSucceeded: 2 });
      const isTriedAgain = fate === 'absent' && (tool === 'file' || tool === 'post');
      expect(end?.data.report.absent).toHaveLength(isTriedAgain ? 1 : 0);
    }
  });
});

describe('a hold', () => {
  it('keeps other effects of the run waiting, while pure steps and other runs go on', async () => {
    const [held, free] = [await world.runs.id('held', 0), await world.runs.id('free', 0)];
    const program = plan([
      effect('file', 'doubted', { conduct: ['apply-hold'], blind: 5 }),
      effect('observe', 'gate', { conduct: ['wait', 'ok'] }),
      effect('file', 'later', { after: ['gate'] }),
      step('pure', 'add', { numbers: [1] }, { after: ['gate'] }),
    ]);
    await world.runs.submit(held, program);
    await world.ledger.called([`${held}/doubted`, `${held}/gate`]);
    world.member('executor-1').killWorker();
    const doubt = await world.runs.seen(held, 'DoubtOpened');
    await world.runs.submit(free, plan([effect('file', 'one')]));
    await Promise.all([world.runs.ended(held), world.runs.ended(free)]);

    const history = await world.runs.history(held);
    const settled = history.all('DoubtSettled', 'doubted')[0]?.seq ?? -1;
    expect(settled).toBeGreaterThan(doubt.seq);
    expect(history.all('StepScheduled', 'later')[0]?.seq).toBeGreaterThan(settled);
    expect(history.scheduledWhileHeld()).toEqual([]);
    expect(world.ledger.entries(`${held}/doubted`)).toHaveLength(1);
    expect(world.ledger.entries(`${held}/later`)).toHaveLength(1);
    expect((await world.runs.history(free)).all('DoubtOpened')).toEqual([]);
  });
});

describe('a living worker that cannot say what became of a call', () => {
  it('settles each doubt by policy, with every effect made once', async () => {
    const program = plan([
      effect('file', 'answer-lost', { conduct: ['apply-drop', 'ok'], timeoutMs: 2_000 }),
      effect('file', 'request-lost', { conduct: ['drop', 'ok'], timeoutMs: 2_000 }),
      effect('pay', 'paid-twice', { conduct: ['apply-drop', 'ok'], timeoutMs: 2_000 }),
      effect('file', 'busy', { conduct: ['refuse', 'ok'], timeoutMs: 2_000 }),
      effect('file', 'fine'),
    ]);
    const { runId, end, history } = await world.runs.run('unclear', program);
    expect(end).toMatchObject({ reason: 'succeeded', report: { stepsSucceeded: 5, applied: 5 } });
    for (const { id } of program.steps) expect(world.ledger.entries(`${runId}/${id}`)).toHaveLength(1);
    for (const { data } of history.all('DoubtOpened')) {
      expect(data).toMatchObject({ cause: 'outcome_unknown', holds: 'step', death: false });
    }
    expect(history.all('DoubtOpened', 'fine')).toEqual([]);
  });

  it('tries again what a tool promises not to have done, and gives up after the last try', async () => {
    const program = plan([effect('file', 'refused', { conduct: ['reject'] })]);
    const { end, history } = await world.runs.run('rejected', program);
    expect(end).toMatchObject({ reason: 'failed', report: { applied: 0, stepsFailed: 1 } });
    expect(history.all('StepFailed')).toMatchObject([{ data: { final: true, effect: 'none' } }]);
    expect(history.all('DoubtOpened')).toEqual([]);
  });
});
