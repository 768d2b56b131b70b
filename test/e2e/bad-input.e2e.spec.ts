import { decode, replyKind } from '@holdfast/contracts';
import { laneOf, LIMITS } from '@holdfast/events';
import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { badRecords, badRunIds, cloudEvent, type BadRecord } from './support/bad-records.js';
import { chain, plan, step } from './support/plans.js';
import { put, recordsOf } from './support/topics.js';
import { World } from './support/world.js';

const LANES = 4;
let kafka: KafkaCluster;
let world: World;
let pids: readonly (number | null)[];
const alive = () => [
  world.member('coordinator-1').pid,
  world.member('executor-1').pid,
  world.member('executor-1').workerPid(),
  world.member('reconciler-1').pid,
];
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers, lanes: LANES });
  pids = alive();
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

/** A good run on each lane goes through, and no process has ended for what came before. */
const allGoesOn = async (): Promise<void> => {
  const lanes = Array.from({ length: LANES }, (_, lane) => lane);
  const ids = await Promise.all(lanes.map((lane) => world.runs.id('good', lane)));
  await Promise.all(ids.map((runId) => world.runs.submit(runId, chain('file', 2))));
  for (const runId of ids) expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
  expect(alive()).toEqual(pids);
  for (const name of ['coordinator-1', 'executor-1', 'reconciler-1']) {
    expect(await world.member(name).health()).toMatchObject({ ready: true });
  }
};

const lettersOf = async (lane: number, topic: string) =>
  (await recordsOf(world.log, world.names.deadLetters, lane)).filter(
    ({ headers }) => headers['dead-letter-topic'] === topic,
  );

const hexOf = (value: Uint8Array | null): string | null => (value === null ? null : Buffer.from(value).toString('hex'));

const answerTo = (requestId: string, lane: number) =>
  eventually(
    `request ${requestId} is answered`,
    async () => {
      const records = await recordsOf(world.log, world.names.replies, lane);
      const replies = records.flatMap(({ value }) => {
        const decoded = decode(replyKind, value);
        return decoded.ok ? [decoded.message.data] : [];
      });
      return replies.find((reply) => reply.requestId === requestId);
    },
    60_000,
  );

describe('records that nobody can read', () => {
  const doors = [
    { door: 'requests', type: 'CancelRun', more: badRunIds },
    { door: 'journal', type: 'AttemptSucceeded', more: [] },
    { door: 'verdicts', type: 'EffectJudged', more: [] },
  ] as const;
  it.each(doors)('are set aside whole, with their reason, from the $door of a lane', async ({ door, type, more }) => {
    const lane = 1;
    const topic = world.names[door];
    const bad = [...badRecords(type), ...more];
    const offsets: number[] = [];
    for (const { value } of bad) offsets.push(await put(world.log, { topic, partition: lane }, { key: 'k', value }));
    await allGoesOn();
    const letters = await lettersOf(lane, topic);
    expect(letters).toHaveLength(bad.length);
    for (const [index, letter] of letters.entries()) {
      const { about, code, value } = bad[index] as BadRecord;
      expect({ about, code: letter.headers['dead-letter-code'] }).toEqual({ about, code });
      expect(letter.headers['dead-letter-partition']).toBe(String(lane));
      expect(letter.headers['dead-letter-offset']).toBe(String(offsets[index]));
      expect(letter.headers['dead-letter-reason']).not.toBe('');
      expect(letter.key).toBe('k');
      expect(hexOf(letter.value)).toBe(hexOf(value));
    }
  });

  it('are set aside from the commands of a queue, and its commands go on', async () => {
    const bad = badRecords('ExecuteSteps');
    const topic = world.names.commands('default');
    for (const { value } of bad) await put(world.log, { topic, partition: 0 }, { value });
    await allGoesOn();
    const letters = await eventually('all of them are set aside', async () => {
      const found = await lettersOf(0, topic);
      return found.length >= bad.length ? found : null;
    });
    expect(letters.map(({ headers }) => headers['dead-letter-code'])).toEqual(bad.map(({ code }) => code));
  });

  it.each(['claims', 'heartbeats'] as const)('are passed over among the %s', async (door) => {
    const topic = door === 'claims' ? world.names.claims('default') : world.names.heartbeats;
    const partitions = door === 'claims' ? [0, 1, 2, 3] : [0];
    for (const partition of partitions) {
      for (const { value } of badRecords(door === 'claims' ? 'AttemptClaimed' : 'ExecutorBeat')) {
        await put(world.log, { topic, partition }, { value });
      }
    }
    await allGoesOn();
  });
});

describe('requests that can be read and not be met', () => {
  type Asked = { readonly runId: string; readonly requestId: string; readonly [more: string]: unknown };
  const ask = (type: string, data: Asked, partition: number, headers = {}) =>
    put(world.log, { topic: world.names.requests, partition }, { key: 'any', value: cloudEvent(type, data), headers });

  it('are answered: a run that is not known yet, an unknown one, other data, a program that is none', async () => {
    const runId = await world.runs.id('nobody');
    const lane = laneOf(runId, LANES);
    await ask('CancelRun', { runId, requestId: 'u-1' }, lane);
    await ask('AnswerEscalation', { runId, requestId: 'u-2', choice: 'absent' }, lane);
    await ask('CancelRun', { runId, requestId: 'u-3', withinMs: 'soon' }, lane);
    await ask('SubmitRun', { runId, requestId: 'u-4', program: { kind: 'poem' } }, lane);
    expect(await answerTo('u-1', lane)).toMatchObject({ outcome: 'accepted', code: 'remembered' });
    expect(await answerTo('u-2', lane)).toMatchObject({ outcome: 'refused', code: 'unknown_run' });
    expect(await answerTo('u-3', lane)).toMatchObject({ outcome: 'refused', code: 'invalid_request' });
    expect(await answerTo('u-4', lane)).toMatchObject({ outcome: 'refused', code: 'invalid_program' });
    await allGoesOn();
  });

  it('are passed on to their lane once, and refused when they are wrong there as well', async () => {
    const runId = await world.runs.id('astray', 2);
    const program = plan([step('a', 'add', { numbers: [1] })]);
    await ask('SubmitRun', { runId, requestId: 'w-1', program }, 0);
    expect(await answerTo('w-1', 2)).toMatchObject({ outcome: 'accepted', lane: 2 });
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
    await ask('CancelRun', { runId, requestId: 'w-2' }, 3, { forwardedfrom: 'elsewhere/0/0' });
    expect(await answerTo('w-2', 3)).toMatchObject({ outcome: 'refused', code: 'wrong_lane' });
  });

  it('are refused with the limit where they are too large: by the client, and behind its back', async () => {
    const runId = await world.runs.id('large');
    const lane = laneOf(runId, LANES);
    const large = { text: 'x'.repeat(LIMITS.inlineValueBytes) };
    await expect(world.runs.submit(runId, chain('file', 1), { input: large })).rejects.toThrow(
      String(LIMITS.inlineValueBytes),
    );
    await ask('SubmitRun', { runId, requestId: 'l-1', program: chain('file', 1), input: large }, lane);
    const answer = await answerTo('l-1', lane);
    expect(answer).toMatchObject({ outcome: 'refused', code: 'too_large' });
    expect(answer.message).toContain(String(LIMITS.inlineValueBytes));
    expect((await world.runs.history(runId)).records).toEqual([]);
  });

  it('change nothing where a word or a verdict is about a run that nobody knows', async () => {
    const word = { attemptId: 'no/a/0', runId: 'no', stepId: 'a', attempt: 0, session: 's', deadline: 1 };
    const journal = cloudEvent('AttemptSucceeded', { ...word, result: 1, startedAt: 1, endedAt: 1 });
    const { session: _, deadline: __, ...attempt } = word;
    const judged = { doubtSeq: 1, verdict: 'applied', askedAt: 1, probe: 1, judgedBy: 'x', evidence: { summary: 'x' } };
    for (let partition = 0; partition < LANES; partition += 1) {
      await put(world.log, { topic: world.names.journal, partition }, { value: journal });
      const value = cloudEvent('EffectJudged', { ...attempt, ...judged });
      await put(world.log, { topic: world.names.verdicts, partition }, { value });
    }
    await allGoesOn();
  });
});

describe('a history that is not sound', () => {
  it('stops its lane loudly; the other lanes go on', async () => {
    const lane = 3;
    await put(world.log, { topic: world.names.history, partition: lane }, { value: cloudEvent('Nonsense', {}) });
    const stuck = await world.runs.id('stuck', lane);
    await world.client
      .submit({ runId: stuck, program: chain('file', 1), input: { run: stuck }, answerWithinMs: 1_000 })
      .catch(() => undefined);

    for (const name of ['coordinator-1', 'reconciler-1']) {
      const report = await eventually(
        `${name} says that lane ${lane} has stopped`,
        async () => {
          const health = await world.member(name).health();
          const isStopped = health?.ready === false && health.reasons.some((reason) => reason.startsWith('lanes:'));
          return isStopped ? health : null;
        },
        60_000,
      );
      expect(report.reasons.join()).toContain(String(lane));
    }
    expect(world.member('coordinator-1').log()).toContain('the lane has stopped: a person must look');
    await expect(world.runs.history(stuck)).rejects.toMatchObject({ code: 'unsound_history' });

    for (const other of [0, 1, 2]) {
      const runId = await world.runs.id('good', other);
      await world.runs.submit(runId, chain('file', 2));
      expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded' });
    }
    expect(alive()).toEqual(pids);
  });
});
