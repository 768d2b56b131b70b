import { ToolsRefused } from '@holdfast/service';
import { ParentBench } from '../../../../test/support/parent-bench.js';

const begun = (attemptId: string, deadline: number, pure = true) => ({
  type: 'calls' as const,
  begun: [{ attemptId, deadline, pure }],
  ended: [],
});

describe('a parent', () => {
  it('opens a session for its worker and says that it lives', async () => {
    const bench = await ParentBench.ready();
    const session = bench.worker.session();
    expect(bench.lastBeat()).toMatchObject({
      sessions: [{ session, state: 'open' }],
      queues: { default: { partitions: [0, 1], slots: 4, free: 4 } },
      tools: ['look@1'],
    });
    expect(bench.worker.of('beat-acknowledged').at(-1)).toMatchObject({ sessions: [session], clockOffMs: 0 });
  });

  it('tells the sending of a heartbeat, not its answer', async () => {
    const bench = await ParentBench.ready();
    const sent = bench.timer.clocks();
    await bench.timer.pass(500);
    expect(bench.worker.of('beat-acknowledged').at(-1)?.sent.mono).toBe(sent.mono - (sent.mono % 500) + 500);
  });

  it('tells nothing about a heartbeat without an answer', async () => {
    const bench = await ParentBench.ready();
    const before = bench.worker.of('beat-acknowledged').length;
    bench.log.faults.nextAppend('answer_lost');
    await bench.timer.pass(500);
    expect(bench.worker.of('beat-acknowledged')).toHaveLength(before);
  });

  it('says how far the clock is off from the broker', async () => {
    const bench = await ParentBench.ready();
    bench.brokerOffMs = -1_500;
    await bench.timer.pass(500);
    expect(bench.worker.of('beat-acknowledged').at(-1)?.clockOffMs).toBe(1_500);
  });

  it('takes a slow answer to a heartbeat for no proof that the clock is right', async () => {
    const bench = await ParentBench.ready();
    const proofs = () => bench.worker.of('beat-acknowledged').map(({ clockIsRight }) => clockIsRight);
    const before = proofs();
    expect(before).toEqual(before.map(() => true));
    bench.log.faults.freeze();
    await bench.timer.pass(1_600);
    bench.log.faults.thaw();
    await bench.timer.pass(10);
    expect(proofs().slice(before.length)).toEqual([false, true]);
  });

  it('hands its seats to the worker with the committed position, else the earliest', async () => {
    const bench = new ParentBench();
    const commands = bench.names.commands('default');
    bench.cluster.partition(commands, 1).append(['a', 'b', 'c'].map((key) => ({ key, value: null })));
    const before = await bench.groups.seats('before').join(bench.pool, () => undefined);
    await before.commit([{ topic: commands, partition: 1, offset: 2 }]);
    await before.leave();
    bench.supervisor.start();
    await bench.workerReady();
    expect(bench.worker.of('seat-gained')).toMatchObject([
      { partition: 0, from: 0 },
      { partition: 1, from: 2 },
    ]);
  });

  it('tells the worker of seats that it lost, and commits what was done', async () => {
    const bench = await ParentBench.ready();
    bench.worker.says({ type: 'positions', positions: [{ queue: 'default', partition: 0, next: 7 }] });
    await bench.timer.pass(1_000);
    bench.groups.move(bench.pool, { me: [1] });
    await bench.timer.pass(10);
    expect(bench.worker.of('seat-lost')).toMatchObject([{ partition: 0 }]);
    const other = await bench.groups.seats('other').join(bench.pool, () => undefined);
    expect(await other.committed([bench.names.commands('default')])).toMatchObject([{ partition: 0, offset: 7 }, {}]);
  });

  it('gives up when its tools must not be served', async () => {
    const bench = new ParentBench(() => Promise.reject(new ToolsRefused(['look@1: known with another hash'])));
    bench.supervisor.start();
    await bench.workerReady();
    expect(bench.fatal).toHaveLength(1);
    expect(bench.worker.of('open-session')).toEqual([]);
  });

  it('gives up when its worker can never start', async () => {
    const bench = new ParentBench();
    bench.supervisor.start();
    bench.worker.says({ type: 'cannot-start', problem: 'no tools' });
    expect(bench.fatal).toEqual(['no tools']);
  });
});

describe('the death of a worker', () => {
  it('ends its session and starts another at once, under the same seats', async () => {
    const bench = await ParentBench.ready();
    const first = bench.worker;
    first.says({ type: 'positions', positions: [{ queue: 'default', partition: 0, next: 7 }] });
    await bench.timer.pass(6_000);
    first.dies();
    await bench.workerReady();
    expect(bench.ends()).toEqual([`${first.session()} exited`]);
    expect(bench.workers).toHaveLength(2);
    expect(bench.worker.session()).not.toBe(first.session());
    expect(bench.worker.of('seat-gained')).toMatchObject([
      { partition: 0, from: 7 },
      { partition: 1, from: 0 },
    ]);
    expect(bench.lastBeat().sessions).toEqual([{ session: bench.worker.session(), state: 'open' }]);
  });

  it('is said until it is acknowledged', async () => {
    const bench = await ParentBench.ready();
    for (let i = 0; i < 3; i += 1) bench.log.faults.nextAppend('lost');
    bench.worker.dies();
    await bench.timer.pass(1_000);
    expect(bench.ends()).toHaveLength(1);
  });

  it('soon after the start makes the next wait, longer each time', async () => {
    const bench = await ParentBench.ready();
    bench.worker.dies();
    expect(bench.workers).toHaveLength(2);
    bench.worker.dies();
    expect(bench.workers).toHaveLength(2);
    await bench.timer.pass(200);
    expect(bench.workers).toHaveLength(3);
    bench.worker.dies();
    await bench.timer.pass(200);
    expect(bench.workers).toHaveLength(3);
    await bench.timer.pass(200);
    expect(bench.workers).toHaveLength(4);
  });

  it('three times in the same pure call makes the call quarantined; others are not counted here', async () => {
    const bench = await ParentBench.ready();
    for (let death = 1; death <= 3; death += 1) {
      bench.worker.says(begun('run/a/0', 1));
      bench.worker.says(begun('run/b/0', 1, false));
      bench.worker.dies();
      await bench.timer.pass(1_000);
      await bench.workerReady();
      expect(bench.worker.of('quarantine').at(-1)?.attemptIds).toEqual(death < 3 ? [] : ['run/a/0']);
    }
  });

  it('does not count against a pure call that ended in between', async () => {
    const bench = await ParentBench.ready();
    for (let death = 1; death <= 4; death += 1) {
      bench.worker.says(begun('run/a/0', 1));
      if (death === 2) bench.worker.says({ type: 'calls', begun: [], ended: ['run/a/0'] });
      bench.worker.dies();
      await bench.timer.pass(1_000);
      await bench.workerReady();
    }
    expect(bench.worker.of('quarantine').at(-1)?.attemptIds).toEqual([]);
  });
});

describe('a worker that does not answer', () => {
  it('is killed when a call is past its deadline and grace', async () => {
    const bench = await ParentBench.ready();
    bench.worker.says(begun('run/a/0', bench.timer.clocks().now + 1_000));
    const [first] = bench.workers;
    await bench.timer.pass(4_900);
    expect(first?.wasKilled).toBe(false);
    await bench.timer.pass(1_100);
    expect(first?.wasKilled).toBe(true);
    expect(bench.ends()).toEqual([`${first?.session()} killed`]);
  });

  it('is left alone while every call may still take its time', async () => {
    const bench = await ParentBench.ready();
    bench.worker.says(begun('run/a/0', bench.timer.clocks().now + 60_000));
    await bench.timer.pass(20_000);
    expect(bench.worker.wasKilled).toBe(false);
    expect(bench.supervisor.trouble).toBe('the worker does not answer');
  });

  it('is not blamed for the time in which its parent stood still', async () => {
    const bench = await ParentBench.ready();
    bench.worker.says(begun('run/a/0', bench.timer.clocks().now));
    bench.timer.jump(60_000);
    await bench.timer.pass(500);
    expect(bench.worker.wasKilled).toBe(false);
  });
});

describe('a session', () => {
  it('that drains is followed by another, and ends with its last word', async () => {
    const bench = await ParentBench.ready();
    const old = bench.worker.session();
    bench.worker.says({ type: 'session-draining', session: old, reason: 'no heartbeat' });
    await bench.timer.pass(10);
    expect(bench.lastBeat().sessions).toEqual([
      { session: old, state: 'draining' },
      { session: bench.worker.session(), state: 'open' },
    ]);
    bench.worker.says({ type: 'session-over', session: old });
    await bench.timer.pass(500);
    expect(bench.ends()).toEqual([`${old} stopped`]);
    expect(bench.lastBeat().sessions).toHaveLength(1);
  });

  it('of another parent is never ended', async () => {
    const bench = await ParentBench.ready();
    bench.worker.says({ type: 'session-over', session: 'of somebody else' });
    await bench.timer.pass(500);
    expect(bench.ends()).toEqual([]);
  });
});

describe('stopping', () => {
  it('lets the worker end its calls, ends the session after its exit, and gives up the seats', async () => {
    const bench = await ParentBench.ready();
    const { worker } = bench;
    const other = await bench.groups.seats('other').join(bench.pool, () => undefined);
    const stopped = bench.supervisor.stop();
    expect(worker.of('drain')).toMatchObject([{ until: bench.timer.clocks().now + 8_000 }]);
    await bench.timer.pass(3_000);
    expect(bench.ends()).toEqual([]);
    worker.leaves();
    await stopped;
    await bench.timer.pass(10);
    expect(bench.ends()).toEqual([`${worker.session()} stopped`]);
    expect(bench.workers).toHaveLength(1);
    expect(other.held()).toEqual(new Set([0, 1]));
  });

  it('calls the end of a worker that died while it drained no clean one', async () => {
    const bench = await ParentBench.ready();
    const stopped = bench.supervisor.stop();
    bench.worker.dies();
    await stopped;
    await bench.timer.pass(10);
    expect(bench.ends()).toEqual([`${bench.worker.session()} exited`]);
  });

  it('kills a worker that does not leave in time', async () => {
    const bench = await ParentBench.ready();
    const stopped = bench.supervisor.stop();
    await bench.timer.pass(9_000);
    await stopped;
    expect(bench.ends()).toEqual([`${bench.worker.session()} killed`]);
  });
});
