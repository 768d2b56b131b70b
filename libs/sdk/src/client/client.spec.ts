import { decode, encode, homeOf, lanePlan, requestKind, topicNames } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { createMemoryLog, createMemoryTopics, MemoryCluster } from '@holdfast/log';
import { LaneAuthor, runAccepted, runEnded } from '../lane/history.fixture.js';
import { ClientError, RequestRefused, type Answer } from './client-error.js';
import { createClient } from './client.js';
import type { Watched } from './watch.js';

const topics = topicNames('holdfast');
const LANES = 4;
const lane = laneOf('doc-1', LANES);
const outer = { version: 1, id: 'x', source: 'test', subject: null, time: '', principal: null };
const order = { runId: 'doc-1', program: { kind: 'plan', steps: [{ id: 'read', tool: 'read@1' }] }, requestId: 'q-1' };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const setUp = async ({ lanes = true } = {}) => {
  const cluster = new MemoryCluster();
  await createMemoryTopics(cluster).ensure(lanePlan(topics, LANES));
  if (lanes) {
    const value = encode({ ...outer, type: 'LanesFixed', data: { lanes: LANES, namespace: 'holdfast' } });
    cluster.partition(topics.cluster, 0).append([{ key: 'lanes', value }]);
  }
  const log = createMemoryLog(cluster, { pollMs: 5 });
  const client = createClient({ log });
  open.push(client, log);
  return { cluster, log, client, requests: cluster.partition(topics.requests, lane) };
};
type World = Awaited<ReturnType<typeof setUp>>;

/** Answers every request on the lane as a coordinator would. */
const coordinate = ({ cluster, requests }: World, reply: Partial<Answer> = {}): void => {
  let next = requests.bounds().end;
  requests.listen(() => {
    const { end } = requests.bounds();
    for (const { value } of requests.slice(next, end, 1e6)) {
      const decoded = decode(requestKind, value);
      if (!decoded.ok) throw new Error(decoded.problem);
      const { requestId } = decoded.message.data;
      const runId = homeOf(decoded.message);
      const data = { requestId, runId, outcome: 'accepted', lane, seq: 7, ...reply };
      const answer = encode({ ...outer, type: 'RequestAnswered', data });
      cluster.partition(topics.replies, lane).append([{ key: runId, value: answer }]);
    }
    next = end;
  });
};
const sent = ({ requests }: World) =>
  requests.slice(0, requests.bounds().end, 1e6).map(({ key, value }) => {
    const decoded = decode(requestKind, value);
    return { key, message: decoded.ok ? decoded.message : decoded.problem };
  });

describe('asking for something', () => {
  it('submits on the lane of the run and gives the answer', async () => {
    const world = await setUp();
    coordinate(world);
    const answer = await world.client.submit({ ...order, input: { n: 1 }, principal: 'ada' });
    expect(answer).toMatchObject({ requestId: 'q-1', runId: 'doc-1', outcome: 'accepted', seq: 7 });
    expect(sent(world)).toMatchObject([
      { key: 'doc-1', message: { type: 'SubmitRun', subject: 'doc-1', principal: 'ada', data: { input: { n: 1 } } } },
    ]);
  });

  it('cancels and answers under ids of its own', async () => {
    const world = await setUp();
    coordinate(world, { outcome: 'unchanged' });
    expect(await world.client.cancel('doc-1', { reason: 'obsolete' })).toMatchObject({ outcome: 'unchanged' });
    await world.client.answer('doc-1', { stepId: 'read', choice: 'absent', lookedAt: 5 });
    const [cancel, answer] = sent(world).map(({ message }) => message as { data: { requestId: string } });
    expect(cancel).toMatchObject({ type: 'CancelRun', data: { reason: 'obsolete' } });
    expect(answer).toMatchObject({ type: 'AnswerEscalation', data: { choice: 'absent', lookedAt: 5 } });
    expect(cancel?.data.requestId).not.toBe(answer?.data.requestId);
  });

  it.each(['answer_lost', 'lost', 'twice'] as const)(
    'sends the same request again when its append is %s',
    async (fate) => {
      const world = await setUp();
      coordinate(world);
      world.log.faults.nextAppend(fate, ({ topic }) => topic === topics.requests);
      expect(await world.client.submit(order)).toMatchObject({ outcome: 'accepted' });
      const values = sent(world).map(({ message }) => JSON.stringify(message));
      expect(new Set(values).size).toBe(1);
    },
  );

  it('rejects with the reason when it is refused', async () => {
    const world = await setUp();
    coordinate(world, { outcome: 'refused', code: 'run_id_taken', message: 'another program' });
    const refused = world.client.submit(order);
    await expect(refused).rejects.toThrow(RequestRefused);
    await expect(refused).rejects.toThrow('run doc-1: the request was refused, run_id_taken: another program');
  });

  it('says what to do when nobody answers', async () => {
    const { client } = await setUp();
    await expect(client.submit({ ...order, answerWithinMs: 20 })).rejects.toThrow(
      'run doc-1: nobody answered request q-1 within 20 ms; it may still be read. Check that a coordinator is running',
    );
  });

  it('says whether a request that nobody has answered is in the log', async () => {
    const world = await setUp();
    const { client, log } = world;
    await expect(client.submit({ ...order, answerWithinMs: 0 })).rejects.toMatchObject({
      code: 'no_answer',
      landed: true,
    });
    log.faults.nextAppend('lost', ({ topic }) => topic === topics.requests);
    await expect(client.submit({ ...order, answerWithinMs: 0 })).rejects.toMatchObject({
      code: 'no_answer',
      landed: false,
    });
    expect(sent(world)).toHaveLength(1);
  });

  it('is written again as it was, and what it holds is answered', async () => {
    const world = await setUp();
    coordinate(world, { outcome: 'unchanged' });
    await world.client.submit(order);
    const [first] = world.requests.slice(0, 1, 1e6);
    const written = { lane, key: 'doc-1', value: first?.value ?? null };
    expect(await world.client.askAgain(written)).toMatchObject({
      offset: 1,
      answer: { requestId: 'q-1', outcome: 'unchanged' },
    });
    expect(world.requests.slice(1, 2, 1e6)[0]?.value).toEqual(first?.value);
  });

  it('is written again although nobody can read it', async () => {
    const { client, requests } = await setUp();
    const value = new TextEncoder().encode('not json');
    expect(await client.askAgain({ lane, key: null, value }, { answerWithinMs: 0 })).toEqual({
      offset: 0,
      answer: null,
    });
    expect(requests.slice(0, 1, 1e6)[0]?.value).toEqual(value);
  });

  it('waits for no answer any more when it is closed', async () => {
    const { client, requests } = await setUp();
    const waiting = client.submit({ ...order, answerWithinMs: 100_000 });
    const rejected = expect(waiting).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('run doc-1: the client was closed before request q-1 was answered') as string,
    });
    await new Promise<void>((resolve) => requests.listen(resolve));
    await client.close();
    await rejected;
    const sentBefore = requests.bounds().end;
    await expect(client.submit({ ...order, requestId: 'q-2' })).rejects.toMatchObject({ code: 'closed' });
    expect(requests.bounds().end).toBe(sentBefore);
  }, 2_000);

  it('takes no answer to another request for its own', async () => {
    const world = await setUp();
    coordinate(world, { requestId: 'q-2' });
    await expect(world.client.submit({ ...order, answerWithinMs: 20 })).rejects.toMatchObject({ code: 'no_answer' });
  });

  it('writes nothing that cannot be read', async () => {
    const world = await setUp();
    const { client } = world;
    await expect(client.submit({ ...order, runId: 'a b' })).rejects.toThrow('must hold no control character, space');
    await expect(client.submit({ ...order, deadlineMs: 0 })).rejects.toMatchObject({ code: 'invalid_request' });
    const input = 'x'.repeat(262_143);
    await expect(client.submit({ ...order, input })).rejects.toThrow('input takes 262145 bytes, but at most 262144');
    const program = { text: 'x'.repeat(1_000_000) };
    await expect(client.submit({ ...order, program })).rejects.toThrow('but must be below 1000000');
    expect(sent(world)).toStrictEqual([]);
  });

  it('says so when the namespace is not there', async () => {
    const { client } = await setUp({ lanes: false });
    await expect(client.submit(order)).rejects.toThrow('namespace holdfast has no lanes yet: start a coordinator');
    const nowhere = createClient({ log: createMemoryLog(new MemoryCluster()), namespace: 'other' });
    await expect(nowhere.submit(order)).rejects.toThrow('the number of lanes of namespace other cannot be read');
    await expect(nowhere.lanes()).rejects.toThrow(ClientError);
  });
});

describe('reading a run', () => {
  const write = ({ cluster }: World, other = 'doc-9') => {
    const author = new LaneAuthor(lane);
    const history = cluster.partition(topics.history, lane);
    history.append(author.acquire('a'));
    history.append(author.decide(other, runAccepted(other)));
    history.append(author.decide('doc-1', runAccepted('doc-1')));
    return { author, history };
  };
  const types = (records: readonly Pick<Watched, 'record'>[]) => records.map(({ record }) => record.event.type);

  it('rebuilds it out of its lane', async () => {
    const world = await setUp();
    const { author, history } = write(world);
    history.append(author.decide('doc-1', runEnded()));
    const read = await world.client.readRun('doc-1');
    expect(types(read.records.map((record) => ({ record })))).toStrictEqual(['RunAccepted', 'RunEnded']);
    expect(read).toMatchObject({ lane, run: { status: 'ended' }, checked: { valid: 7, void: 0 } });
    expect((await world.client.readRun('doc-2')).run).toBeUndefined();
  });

  it('says where a history is not sound', async () => {
    const world = await setUp();
    write(world).history.append([{ key: 'doc-1', value: Buffer.from('{}') }]);
    const reading = world.client.readRun('doc-1');
    await expect(reading).rejects.toMatchObject({ code: 'unsound_history' });
    await expect(reading).rejects.toThrow(`run doc-1: history of lane ${lane} (holdfast.run-events) at offset 5`);
    await expect(world.client.watch('doc-1')[Symbol.asyncIterator]().next()).resolves.toBeDefined();
  });

  it('watches it from its first record until it ends', async () => {
    const world = await setUp();
    const { author, history } = write(world);
    const seen: Watched[] = [];
    for await (const watched of world.client.watch('doc-1')) {
      seen.push(watched);
      if (seen.length === 1) history.append(author.decide('doc-1', runEnded()));
    }
    expect(types(seen)).toStrictEqual(['RunAccepted', 'RunEnded']);
    expect(seen.map(({ run }) => run?.status)).toStrictEqual(['running', 'ended']);
  });

  it('begins where it is told and ends when it is told', async () => {
    const world = await setUp();
    const { author, history } = write(world);
    history.append(author.decide('doc-1', runEnded()));
    const abort = new AbortController();
    const seen: Watched[] = [];
    for await (const watched of world.client.watch('doc-1', { from: 5, beyondEnd: true, signal: abort.signal })) {
      seen.push(watched);
      abort.abort();
    }
    expect(types(seen)).toStrictEqual(['RunEnded']);
    expect(await collect(world.client.watch('doc-1', { signal: AbortSignal.abort() }))).toStrictEqual([]);
  });
});

const collect = async <T>(all: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = [];
  for await (const item of all) found.push(item);
  return found;
};
