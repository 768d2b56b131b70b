import { createMemoryLog, LogDefect, LogUnavailable, MemoryCluster } from '@holdfast/log';
import type { Entry, Fetched, MemoryLog } from '@holdfast/log';
import { describeLog } from './log.contract.js';
import { Heard } from './log/heard.js';
import { acknowledged } from './log/values.js';

describeLog('in memory', () => {
  const cluster = new MemoryCluster();
  let count = 0;
  return Promise.resolve({
    open: () => createMemoryLog(cluster, { pollMs: 5 }),
    topic: (partitions, bytesMax) => {
      const name = `topic-${count++}`;
      cluster.create({ name, partitions, ...(bytesMax === undefined ? {} : { bytesMax }) });
      return Promise.resolve(name);
    },
    forget: (topic, partition, offset) => {
      cluster.partition(topic, partition).forget(offset);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
  });
});

const entries = (...values: string[]): Entry[] => values.map((value) => ({ key: null, value: Buffer.from(value) }));
const valuesOf = (answer: Fetched): string[] =>
  answer.outcome === 'fetched' ? answer.records.map(({ value }) => Buffer.from(value ?? []).toString()) : [];

/** Enough turns for everything that waits for no timer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('faults of the log in memory', () => {
  let cluster: MemoryCluster;
  let log: MemoryLog;
  /** Timers that were asked for and not taken back; a test lets them pass by hand. */
  let timers: Set<() => void>;

  const open = (): MemoryLog =>
    createMemoryLog(cluster, {
      timer: (_, callback) => {
        timers.add(callback);
        return () => timers.delete(callback);
      },
    });
  const pass = (): void => {
    const due = [...timers];
    timers.clear();
    for (const callback of due) callback();
  };
  beforeEach(() => {
    timers = new Set();
    cluster = new MemoryCluster({ now: () => 1_700_000_000_000 });
    cluster.create({ name: 'lane', partitions: 2 });
    log = open();
  });

  afterEach(() => log.close());

  it('loses an answer: unknown, and the record is there', async () => {
    log.faults.nextAppend('answer_lost');
    expect(await log.append('lane', 0, entries('a'))).toMatchObject({ outcome: 'unknown' });
    expect(acknowledged(await log.append('lane', 0, entries('b')))).toBe(1);
    expect(valuesOf(await log.read('lane', 0, 0))).toEqual(['a', 'b']);
  });

  it('loses an append: unknown, and the record never comes', async () => {
    log.faults.nextAppend('lost');
    expect(await log.append('lane', 0, entries('a'))).toMatchObject({ outcome: 'unknown' });
    expect(acknowledged(await log.append('lane', 0, entries('b')))).toBe(0);
  });

  it('holds an append back: unknown, and it arrives after a later one, even twice', async () => {
    log.faults.nextAppend('held', ({ partition }) => partition === 1);
    expect(acknowledged(await log.append('lane', 0, entries('x')))).toBe(0);
    expect(await log.append('lane', 1, entries('a'))).toMatchObject({ outcome: 'unknown' });
    expect(acknowledged(await log.append('lane', 1, entries('b')))).toBe(0);
    const [held] = log.faults.held;
    expect([held?.arrive(), held?.arrive()]).toEqual([1, 2]);
    expect(valuesOf(await log.read('lane', 1, 0))).toEqual(['b', 'a', 'a']);
  });

  it('repeats an append: unknown, and the batch is there twice, whole', async () => {
    log.faults.nextAppend('twice');
    expect(await log.append('lane', 0, entries('a', 'b'))).toMatchObject({ outcome: 'unknown' });
    expect(valuesOf(await log.read('lane', 0, 0))).toEqual(['a', 'b', 'a', 'b']);
  });

  it('hides the end from one process only; its appends do not lie', async () => {
    const heard = new Heard();
    const tail = log.tail(heard);
    log.faults.lag('lane', 0);
    tail.follow('lane', 0, 0);
    expect(acknowledged(await open().append('lane', 0, entries('a')))).toBe(0);
    expect(await log.read('lane', 0, 0)).toMatchObject({ records: [], end: 0 });
    expect(await log.bounds('lane', 0)).toEqual({ start: 0, end: 0 });
    expect(acknowledged(await log.append('lane', 0, entries('b')))).toBe(1);
    expect(await log.read('lane', 0, 2)).toMatchObject({ outcome: 'fetched', records: [], next: 2, end: 0 });
    const waiting = log.read('lane', 0, 0, { waitMs: 1000 });
    await settle();
    expect(heard.records(0)).toEqual([]);
    log.faults.catchUp('lane', 0);
    expect(valuesOf(await waiting)).toEqual(['a', 'b']);
    await heard.until(() => heard.records(0).length === 2);
  });

  it('answers nobody: reads reject, appends are unknown, the tail has trouble and goes on afterwards', async () => {
    const heard = new Heard();
    const tail = log.tail(heard);
    tail.follow('lane', 0, 0);
    log.faults.unavailable = true;
    await expect(log.read('lane', 0, 0)).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.bounds('lane', 0)).rejects.toBeInstanceOf(LogUnavailable);
    expect(await log.append('lane', 0, entries('a'))).toMatchObject({ outcome: 'unknown' });
    await heard.until(() => heard.troubles.length > 0);
    log.faults.unavailable = false;
    expect(acknowledged(await log.append('lane', 0, entries('b')))).toBe(0);
    await heard.until(() => heard.records(0).length === 1);
  });

  it('freezes: appends that were given up arrive at the thaw, in order', async () => {
    log.faults.freeze();
    const first = log.append('lane', 0, entries('a'));
    const second = log.append('lane', 0, entries('b'));
    const read = log.read('lane', 0, 0);
    const rejected = expect(read).rejects.toBeInstanceOf(LogUnavailable);
    await settle();
    pass();
    expect(await first).toMatchObject({ outcome: 'unknown' });
    await rejected;
    await settle();
    log.faults.thaw();
    expect(acknowledged(await second)).toBe(1);
    expect(valuesOf(await log.read('lane', 0, 0))).toEqual(['a', 'b']);
  });

  it('takes the fate of each append from a function, so that a seed can decide', async () => {
    const seen: string[] = [];
    const fated = createMemoryLog(cluster, {
      fate: ({ records }) => {
        seen.push(Buffer.from(records[0]?.value ?? []).toString());
        return seen.length % 2 === 0 ? 'lost' : 'through';
      },
    });
    const outcomes = [];
    for (const value of ['a', 'b', 'c']) outcomes.push((await fated.append('lane', 0, entries(value))).outcome);
    expect([seen, outcomes]).toEqual([
      ['a', 'b', 'c'],
      ['appended', 'unknown', 'appended'],
    ]);
  });

  it('waits by its timer only', async () => {
    const waiting = log.read('lane', 0, 0, { waitMs: 60_000 });
    await settle();
    pass();
    expect(await waiting).toMatchObject({ outcome: 'fetched', records: [] });
  });

  it('calls a hole a defect, but not where it was told to expect one', async () => {
    cluster.create({ name: 'tools', partitions: 1, cleanup: 'compact' });
    for (const [key, value] of [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ] as const) {
      await log.append('tools', 0, [{ key, value: Buffer.from(value) }]);
    }
    cluster.partition('tools', 0).compact();
    await expect(log.read('tools', 0, 0)).rejects.toBeInstanceOf(LogDefect);
    expect(valuesOf(await log.read('tools', 0, 0, { sparse: true }))).toEqual(['2', '3']);
    const heard = new Heard();
    const defects: string[] = [];
    const tail = log.tail(Object.assign(heard, { defect: (topic: string) => void defects.push(topic) }));
    tail.follow('tools', 0, 0);
    await settle();
    expect([defects, heard.records(0)]).toEqual([['tools'], []]);
    tail.follow('tools', 0, 0, { sparse: true });
    await heard.until(() => heard.records(0).length === 2);
  });

  it('shows lost records as a position out of range', async () => {
    await log.append('lane', 0, entries('a', 'b', 'c'));
    cluster.partition('lane', 0).lose(1);
    expect(await log.read('lane', 0, 3)).toEqual({ outcome: 'out_of_range', start: 0, end: 1 });
  });
});
