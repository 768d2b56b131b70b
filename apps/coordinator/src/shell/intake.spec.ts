import { encode, FORWARDED_HEADER, lanePlan, topicNames } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { createMemoryLog, createMemoryTopics, MemoryCluster, type Entry, type LogRecord } from '@holdfast/log';
import { silentLogger, systemClock, systemTimer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import type { Arrival } from '../lane/lane.types.js';
import { Intake } from './intake.js';

const names = topicNames('t');
const LANES = 12;
const HERE = laneOf('doc-1', LANES);

const submit = (runId: string, requestId = 'q1'): Uint8Array =>
  encode({
    type: 'SubmitRun',
    version: 1,
    id: requestId,
    source: 'test',
    subject: runId,
    time: '',
    principal: null,
    data: { requestId, runId, program: { kind: 'plan', steps: [] } },
  });

/** A lane's intake on an in-memory log; `take` delivers what stands on a topic from where it was left. */
const open = async (lane = HERE, cluster = new MemoryCluster()) => {
  await createMemoryTopics(cluster).ensure([...lanePlan(names, LANES)]);
  const log = createMemoryLog(cluster);
  const arrivals: Arrival[] = [];
  const followed: string[] = [];
  const intake = new Intake({
    log,
    names,
    clock: systemClock,
    timer: systemTimer,
    ids: { next: () => 'random-random-random' },
    logger: silentLogger as unknown as ServiceLogger,
    owner: 'C',
    lane,
    lanes: LANES,
    follow: (topic) => followed.push(topic),
    unfollow: () => undefined,
    deliver: (_, more) => arrivals.push(...more),
    waiting: () => 0,
    refreshTools: async () => undefined,
  });
  intake.start(1, new Map([[names.requests, 0]]));
  const records = async (topic: string, partition: number): Promise<readonly LogRecord[]> => {
    const fetched = await log.read(topic, partition, 0);
    return fetched.outcome === 'fetched' ? fetched.records : [];
  };
  const put = async (...entries: Entry[]) => {
    for (const entry of entries) await log.append(names.requests, lane, [entry]);
    const all = await records(names.requests, lane);
    intake.batch({ topic: names.requests, partition: lane, records: all, next: all.length, end: all.length });
    await intake.reached(names.requests, all.length);
  };
  const append = async (entry: Entry) => void (await log.append(names.requests, lane, [entry]));
  return { put, append, records, arrivals, intake, close: () => log.close() };
};

const bad: readonly (readonly [string, Uint8Array | null])[] = [
  ['no value', null],
  ['an empty value', new Uint8Array()],
  ['spaces', new TextEncoder().encode('   ')],
  ['half an object', new TextEncoder().encode('{')],
  ['an array', new TextEncoder().encode('[]')],
  ['a text', new TextEncoder().encode('"text"')],
  ['a number', new TextEncoder().encode('123')],
  ['invalid UTF-8', new Uint8Array([0xc3, 0x28])],
  ['1 MB of brackets', new TextEncoder().encode('['.repeat(900_000))],
  ['an unknown type', new TextEncoder().encode('{"specversion":"1.0","id":"1","source":"x","type":"Nope","data":{}}')],
  [
    'an unknown version',
    new TextEncoder().encode(
      '{"specversion":"1.0","id":"1","source":"x","type":"SubmitRun","dataversion":999,"data":{}}',
    ),
  ],
];

describe('taking in requests', () => {
  it.each(bad)('sets %s aside, whole and with the reason, and goes on', async (_, value) => {
    const { put, records, arrivals, close } = await open();
    await put({ key: 'k', value }, { key: 'doc-1', value: submit('doc-1') });
    expect(arrivals.map(({ work }) => work.kind)).toEqual(['pass', 'request']);
    const [letter] = await records(names.deadLetters, HERE);
    const same = letter?.value ? Buffer.from(letter.value).equals(value ?? new Uint8Array()) : letter?.value === value;
    expect(same).toBe(true);
    expect(letter?.key).toBe('k');
    expect(letter?.headers).toMatchObject({
      'dead-letter-topic': names.requests,
      'dead-letter-partition': String(HERE),
      'dead-letter-offset': '0',
    });
    expect(letter?.headers['dead-letter-reason']).not.toBe('');
    await close();
  });

  it('answers whoever can be told from a request that cannot be read', async () => {
    const { put, arrivals, close } = await open();
    const value = submit('a/b');
    await put({ key: 'k', value });
    expect(arrivals[0]?.work).toMatchObject({ kind: 'refuse', requestId: 'q1', code: 'invalid_request' });
    await close();
  });

  it('knows which run has begun the one that cannot be read', async () => {
    const { put, arrivals, close } = await open();
    const parent = { runId: 'p', stepId: 'a', ticket: 't', depth: 1, detached: false };
    const whole = JSON.parse(new TextDecoder().decode(submit('doc-1'))) as { data: object };
    const of = (principal: string) =>
      new TextEncoder().encode(JSON.stringify({ ...whole, principal, data: { ...whole.data, parent, labels: 7 } }));
    await put({ key: 'k', value: of('holdfast/lane-3') }, { key: 'k', value: submit('a/b') });
    const submission = { type: 'SubmitRun', data: { runId: 'doc-1', parent } };
    expect(arrivals[0]?.work).toMatchObject({ kind: 'refuse', code: 'invalid_request', submission });
    expect(arrivals[1]?.work).not.toHaveProperty('submission');
    await close();
  });

  it('passes a request of another lane on, once', async () => {
    const { put, records, arrivals, close } = await open();
    await put({ key: 'abc', value: submit('abc') });
    expect(arrivals[0]?.work).toEqual({ kind: 'pass' });
    const [passedOn] = await records(names.requests, laneOf('abc', LANES));
    expect(passedOn?.value).toEqual(submit('abc'));
    expect(passedOn?.headers[FORWARDED_HEADER]).toBe(`${names.requests}/${HERE}/0`);
    await close();
  });

  it('refuses a request that comes to the wrong lane a second time', async () => {
    const { put, arrivals, close } = await open();
    await put({ key: 'abc', value: submit('abc'), headers: { [FORWARDED_HEADER]: 'x' } });
    expect(arrivals[0]?.work).toMatchObject({ kind: 'refuse', code: 'wrong_lane', requestId: 'q1' });
    await close();
  });

  it('takes what was passed on for as old as it is, and believes no word that it was passed on', async () => {
    let now = 0;
    const cluster = new MemoryCluster({ now: () => (now += 1_000) });
    const there = laneOf('abc', LANES);
    const [wrong, right] = [await open(HERE, cluster), await open(there, cluster)];
    await wrong.put({ key: 'abc', value: submit('abc') });
    const from = (origin: string, value = submit('abc', 'q2')): Entry => ({
      key: 'abc',
      value,
      headers: { [FORWARDED_HEADER]: origin },
    });
    const here = `${names.requests}/${HERE}`;
    const forged = [`${here}/0`, `${here}/7`, `${here}/-1`, `${names.requests}/99/0`, 'elsewhere/0/0', ''];
    await right.put(
      ...forged.map((origin) => from(origin)),
      from(`${names.requests}/${there}/0`, submit('abc')),
      from(`${here}/0`, submit('abc')),
    );
    const at = right.arrivals.map(({ work }) => work.kind === 'request' && work.at);
    expect(at).toEqual([1_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 1_000]);
    await Promise.all([wrong.close(), right.close()]);
  });

  it('skips nothing that waits behind a slow record when it is told of the end meanwhile', async () => {
    const { intake, append, records, arrivals, close } = await open();
    await append({ key: null, value: null });
    await append({ key: 'doc-1', value: submit('doc-1') });
    const at = { topic: names.requests, partition: HERE, end: 2 };
    const [slow, good] = await records(names.requests, HERE);
    intake.batch({ ...at, records: [slow as LogRecord], next: 1 });
    intake.batch({ ...at, records: [good as LogRecord], next: 2 });
    intake.batch({ ...at, records: [], next: 2 });
    await intake.reached(names.requests, 2);
    expect(arrivals.map(({ next, work }) => ({ next, kind: work.kind }))).toEqual([
      { next: 1, kind: 'pass' },
      { next: 2, kind: 'request' },
    ]);
    await close();
  });

  it('lets no empty poll overtake what is still being set aside', async () => {
    const { put, arrivals, intake } = await open();
    await put({ key: 'k', value: null }, { key: 'doc-1', value: submit('doc-1') });
    arrivals.length = 0;
    intake.start(2, new Map([[names.requests, 0]]));
    const records = [null, submit('doc-1')].map((value, offset) => ({ offset, at: 0, key: 'k', value, headers: {} }));
    const where = { topic: names.requests, partition: HERE, next: 2, end: 2 };
    intake.batch({ ...where, records });
    intake.batch({ ...where, records: [] });
    await intake.reached(names.requests, 2);
    expect(arrivals.map(({ work }) => work.kind)).toEqual(['pass', 'request']);
  });

  it('delivers nothing of a term that is over', async () => {
    const { records, arrivals, intake, close } = await open();
    intake.stop();
    intake.batch({
      topic: names.requests,
      partition: HERE,
      records: await records(names.requests, HERE),
      next: 1,
      end: 1,
    });
    await intake.reached(names.requests, 0).catch(() => undefined);
    expect(arrivals).toEqual([]);
    await close();
  });
});
