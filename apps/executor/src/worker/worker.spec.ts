import { LIMITS } from '@holdfast/events';
import { WorkerBench } from '../../../../test/support/worker-bench.js';

const never = () => new Promise<never>(() => undefined);

describe('a worker', () => {
  it('calls when its claim is in the log, and reports to the lane of the command', async () => {
    const seen: number[] = [];
    const bench: WorkerBench = new WorkerBench(() => {
      seen.push(bench.claims().length);
      return { ok: true };
    });
    bench.issue(bench.order('a'));
    await bench.pass();
    expect(seen).toEqual([1]);
    expect(bench.words()).toMatchObject([
      { type: 'AttemptSucceeded', data: { stepId: 'a', session: 'S0', result: { ok: true } } },
    ]);
    expect(bench.position()).toBe(1);
  });

  it('claims what came together in one batch, and reports it in one', async () => {
    const bench = new WorkerBench();
    bench.issue(...['a', 'b', 'c'].map((step) => bench.order(step)));
    await bench.pass();
    expect(bench.claims()).toHaveLength(3);
    expect(bench.said()).toEqual(['AttemptSucceeded a', 'AttemptSucceeded b', 'AttemptSucceeded c']);
  });

  it.each(['answer_lost', 'twice', 'lost', 'held'] as const)(
    'calls once when the append of its claim is %s, and says the same again',
    async (fate) => {
      const bench = new WorkerBench();
      bench.log.faults.nextAppend(fate, ({ topic }) => topic === bench.names.claims('default'));
      bench.issue(bench.order('a'));
      await bench.pass(1_000);
      for (const append of bench.log.faults.held) append.arrive();
      await bench.pass(1_000);
      expect(bench.calls).toEqual(['a']);
      expect(new Set(bench.claims().map((claim) => JSON.stringify(claim))).size).toBe(1);
      expect(bench.said()).toEqual(['AttemptSucceeded a']);
    },
  );

  it.each(['answer_lost', 'twice', 'lost'] as const)('says its outcome again when the append was %s', async (fate) => {
    const bench = new WorkerBench();
    bench.log.faults.nextAppend(fate, ({ topic }) => topic === bench.names.journal);
    bench.issue(bench.order('a'));
    await bench.pass(1_000);
    expect(bench.calls).toEqual(['a']);
    expect(bench.said().every((word) => word === 'AttemptSucceeded a')).toBe(true);
    expect(bench.said().length).toBeGreaterThan(0);
  });

  it.each(['AttemptClaimed', 'AttemptClosed'] as const)('does nothing when %s came first', async (type) => {
    const bench = new WorkerBench();
    bench.claim(type, 'a');
    bench.issue(bench.order('a'));
    await bench.pass();
    expect(bench.calls).toEqual([]);
    expect(bench.said()).toEqual([]);
    expect(bench.position()).toBe(1);
  });

  it('reads claims further down for an older order', async () => {
    const bench = new WorkerBench();
    bench.claim('AttemptClaimed', 'old');
    bench.issue(bench.order('new', { claimsFrom: 1 }));
    await bench.pass();
    bench.issue(bench.order('old', { claimsFrom: 0 }));
    await bench.pass();
    expect(bench.calls).toEqual(['new']);
  });

  it('stops serving where an acknowledged record is gone', async () => {
    const bench = new WorkerBench();
    bench.issue(bench.order('a', { claimsFrom: 7 }));
    await bench.pass(15_000);
    expect(bench.calls).toEqual([]);
    expect(bench.told.filter(({ type }) => type === 'partition-defect')).toHaveLength(1);
  });
});

describe('an order', () => {
  it.each([
    ['of a tool that is not known here', { tool: 'other@1' }, 'tool other@1 is not known here'],
    ['of another tool under the same version', { toolHash: 'x' }, 'another one here'],
    ['with another policy', { policy: 'keyed' }, 'the order says keyed'],
    ['whose arguments are not the ones it was made for', { args: { text: 'z' }, argsHash: 'x' }, 'arguments'],
  ] as const)('%s is refused', async (_, over, reason) => {
    const bench = new WorkerBench();
    bench.issue(bench.order('a', over));
    await bench.pass();
    expect(bench.claims()).toEqual([]);
    expect(bench.words()).toMatchObject([
      { type: 'AttemptRefused', data: { reason: expect.stringContaining(reason) } },
    ]);
  });

  it('whose arguments the tool does not take fails for good, and the tool is never called', async () => {
    const bench = new WorkerBench();
    bench.issue(bench.order('a', { args: { text: 7 } }));
    await bench.pass();
    expect(bench.calls).toEqual([]);
    expect(bench.words()).toMatchObject([
      { type: 'AttemptFailed', data: { failure: { code: 'invalid_args' }, retry: 'never' } },
    ]);
  });

  it('that is none lies among the dead letters before the position passes it', async () => {
    const bench = new WorkerBench();
    bench.cluster.partition(bench.names.commands('default'), 0).append([{ key: 'k', value: Buffer.from('{') }]);
    bench.log.faults.nextAppend('lost', ({ topic }) => topic === bench.names.deadLetters);
    await bench.pass();
    expect(bench.position()).toBe(0);
    await bench.pass(1_000);
    expect(bench.read(bench.names.deadLetters, 0)).toMatchObject([
      { key: 'k', headers: { 'dead-letter-offset': '0', 'dead-letter-code': 'not_json' } },
    ]);
    expect(bench.position()).toBe(1);
  });
});

describe('a call', () => {
  it('whose result is too large keeps its size and hash', async () => {
    const bench = new WorkerBench(() => 'x'.repeat(LIMITS.inlineValueBytes));
    bench.issue(bench.order('a'));
    await bench.pass();
    expect(bench.words()).toMatchObject([{ type: 'AttemptSucceeded', data: { omitted: { omitted: true } } }]);
  });

  it('that throws leaves its effect in doubt', async () => {
    const bench = new WorkerBench(() => Promise.reject(new Error('connection lost')));
    bench.issue(bench.order('a'));
    await bench.pass();
    expect(bench.words()).toMatchObject([
      { type: 'AttemptUnknown', data: { failure: { message: 'connection lost' } } },
    ]);
  });

  it('of a stopped run gets its signal and says that it was stopped', async () => {
    const bench = new WorkerBench(
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    bench.issue(bench.order('a'));
    await bench.pass();
    bench.abort();
    await bench.pass();
    expect(bench.words()).toMatchObject([
      { type: 'AttemptAborted', data: { effect: 'unknown', reason: 'run_aborted' } },
    ]);
  });

  it('may make no effect on an old heartbeat', async () => {
    let go: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (go = resolve));
    const bench = new WorkerBench(async (_, context) => {
      await wait;
      context.guard();
      return { acted: true };
    });
    bench.issue(bench.order('a'));
    await bench.pass(200);
    await bench.timer.pass(2_600);
    go();
    await bench.timer.pass(100);
    expect(bench.words().at(-1)).toMatchObject({ type: 'AttemptFailed', data: { failure: { code: 'guard_refused' } } });
  });

  it('is checked once more when the one before it has blocked the thread', async () => {
    const bench: WorkerBench = new WorkerBench((args) => {
      if (args.text === 'a') bench.timer.jump(6_000);
      return { ok: true };
    });
    bench.issue(bench.order('a'), bench.order('b'));
    await bench.timer.pass(100);
    expect(bench.calls).toEqual(['a']);
    expect(bench.said()).toEqual(['AttemptSkipped b', 'AttemptSucceeded a']);
  });

  it('is known to the parent before it begins', async () => {
    const known: number[] = [];
    const bench: WorkerBench = new WorkerBench(() => {
      known.push(bench.told.filter(({ type }) => type === 'calls').length);
      return { ok: true };
    });
    bench.issue(bench.order('a', { policy: 'pure' }));
    await bench.pass();
    expect(known).toEqual([1]);
    expect(bench.told.filter(({ type }) => type === 'calls')).toMatchObject([
      { begun: [{ attemptId: 'run/a/0', pure: true }], ended: [] },
      { begun: [], ended: ['run/a/0'] },
    ]);
  });
});

describe('a worker without a parent', () => {
  it('begins nothing more, finishes what is under way, says it and leaves', async () => {
    let end: (value: unknown) => void = () => undefined;
    const bench = new WorkerBench(() => new Promise((resolve) => (end = resolve)));
    bench.issue(bench.order('a'));
    await bench.pass();
    bench.worker.parentLost();
    bench.issue(bench.order('b'));
    await bench.pass();
    expect(bench.isDrained).toBe(false);
    end({ ok: true });
    await bench.pass();
    expect(bench.said()).toEqual(['AttemptSucceeded a']);
    expect(bench.isDrained).toBe(true);
  });

  it('leaves at once when nothing is under way', () => {
    const bench = new WorkerBench(never);
    bench.worker.parentLost();
    expect(bench.isDrained).toBe(true);
  });
});
