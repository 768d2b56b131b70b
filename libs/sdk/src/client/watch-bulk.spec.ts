import { decode, encode, lanePlan, requestKind, topicNames } from '@holdfast/contracts';
import { runEvent, sharedEvent } from '@holdfast/events';
import { createMemoryLog, createMemoryTopics, MemoryCluster } from '@holdfast/log';
import { LaneAuthor, runAccepted, runEnded } from '../lane/history.fixture.js';
import { createClient } from './client.js';
import type { BulkProgress } from './watch-bulk.js';

const topics = topicNames('holdfast');
const LANES = 2;
const outer = { version: 1, id: 'x', source: 'test', subject: null, time: '', principal: null };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const setUp = async () => {
  const cluster = new MemoryCluster();
  await createMemoryTopics(cluster).ensure(lanePlan(topics, LANES));
  const log = createMemoryLog(cluster, { pollMs: 5 });
  const client = createClient({ log, lanes: LANES });
  open.push(client, log);
  return { cluster, client, log };
};

const asked = { principal: 'ann', reason: 'sold', mode: 'abort', deadlineAt: 9 } as const;

describe('a cancel of many runs', () => {
  it('asks each lane under an id of its own and gives all answers', async () => {
    const { cluster, client } = await setUp();
    const seen: unknown[] = [];
    for (let lane = 0; lane < LANES; lane += 1) {
      const requests = cluster.partition(topics.requests, lane);
      requests.listen(() => {
        const decoded = decode(requestKind, requests.slice(0, requests.bounds().end, 1e6).at(-1)?.value ?? null);
        if (!decoded.ok) throw new Error(decoded.problem);
        seen.push(decoded.message);
        const { requestId } = decoded.message.data;
        const data = {
          requestId,
          runId: `lane/${lane}`,
          outcome: 'accepted',
          details: { runs: lane + 1 },
          lane,
          seq: 7,
        };
        const value = encode({ ...outer, type: 'RequestAnswered', data });
        cluster.partition(topics.replies, lane).append([{ key: null, value }]);
      });
    }
    const { requestId, answers } = await client.cancelRuns({
      labels: { team: 'shop' },
      requestId: 'q',
      principal: 'ann',
    });
    expect(requestId).toBe('q');
    expect(answers).toMatchObject([{ details: { runs: 1 } }, { details: { runs: 2 } }]);
    expect(seen).toMatchObject(
      [0, 1].map((lane) => ({
        type: 'CancelRuns',
        principal: 'ann',
        data: { lane, requestId: `q@${lane}`, labels: { team: 'shop' } },
      })),
    );
  });

  it('is in the log on all lanes although nobody has answered, or says that it is not', async () => {
    const { client, cluster, log } = await setUp();
    const cancelling = { labels: { team: 'shop' }, requestId: 'q', answerWithinMs: 0 };
    expect((await client.cancelRuns(cancelling)).answers).toEqual(
      [0, 1].map((lane) => ({ requestId: `q@${lane}`, runId: `lane/${lane}`, outcome: 'pending' })),
    );
    expect([0, 1].map((lane) => cluster.partition(topics.requests, lane).bounds().end)).toEqual([1, 1]);
    log.faults.nextAppend('lost', ({ topic }) => topic === topics.requests);
    await expect(client.cancelRuns(cancelling)).rejects.toMatchObject({ code: 'no_answer', landed: false });
  });

  it('says what each lane has said, although one refuses and one says nothing', async () => {
    const { client, cluster } = await setUp();
    const data = { requestId: 'q@1', runId: 'lane/1', outcome: 'refused', code: 'too_many', lane: 1, seq: 7 } as const;
    cluster.partition(topics.requests, 1).listen(() => {
      const value = encode({ ...outer, type: 'RequestAnswered', data });
      cluster.partition(topics.replies, 1).append([{ key: null, value }]);
    });
    const { answers } = await client.cancelRuns({ labels: { a: 'b' }, requestId: 'q', answerWithinMs: 200 });
    expect(answers).toEqual([{ requestId: 'q@0', runId: 'lane/0', outcome: 'pending' }, data]);
  });

  it('without a label writes nothing', async () => {
    const { client } = await setUp();
    await expect(client.cancelRuns({ labels: {} })).rejects.toThrow('lane 0: CancelRuns: ✖ at least one label');
  });

  it('is watched on all lanes until the last of its runs is over', async () => {
    const { cluster, client } = await setUp();
    const authors = [0, 1].map((lane) => new LaneAuthor(lane));
    const write = (lane: number, entries: ReturnType<LaneAuthor['acquire']>) =>
      cluster.partition(topics.history, lane).append(entries);
    const bulk = (lane: number, runs: number) =>
      sharedEvent('BulkCancelRequested', {
        ...asked,
        lane,
        requestId: `q@${lane}`,
        labels: { team: 'shop' },
        beforeSeq: 9,
        runs,
      });
    authors.forEach((author, lane) => {
      write(lane, author.acquire('a'));
      write(
        lane,
        author.tell(
          bulk(lane, 1 - lane),
          sharedEvent('BulkCancelEnded', { requestId: `q@${lane}`, cancelled: 1 - lane }),
        ),
      );
    });
    const cancel = runEvent('CancelRequested', { ...asked, requestId: 'q@0/doc-1', bulk: 'q@0' });
    write(0, authors[0]?.decide('doc-1', runAccepted('doc-1'), cancel) ?? []);
    const seen: BulkProgress[] = [];
    for await (const progress of client.watchCancelRuns('q')) {
      seen.push(progress);
      if (progress.cancelled === 1 && seen.length === 5) write(0, authors[0]?.decide('doc-1', runEnded()) ?? []);
    }
    expect(seen.at(-1)).toEqual({ runs: 1, cancelled: 1, ended: 1 });
    expect(seen).toHaveLength(6);
  });

  it('is not watched any longer than one wants', async () => {
    const { client } = await setUp();
    const seen: BulkProgress[] = [];
    for await (const progress of client.watchCancelRuns('q', { signal: AbortSignal.abort() })) seen.push(progress);
    expect(seen).toEqual([]);
  });
});
