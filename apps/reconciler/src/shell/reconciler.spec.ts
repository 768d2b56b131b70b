import { decode, topicNames, verdictKind, type Verdict } from '@holdfast/contracts';
import { argsHash, evolve, runEvent, type RunEvent, type RunState } from '@holdfast/events';
import { createMemoryLog, MemoryCluster } from '@holdfast/log';
import { sha256, silentLogger } from '@holdfast/sdk';
import type { Witness } from '../asking/witness.js';
import { defaultSettings, RULES } from '../doubt/doubt.rules.js';
import type { Answer } from '../doubt/doubt.verdict.js';
import { Reconciler } from './reconciler.js';

const LANE = 2;
const ARGS = { name: 'a' };
const names = topicNames('test');
const evidence = { summary: 'looked' };

const story: readonly RunEvent[] = [
  runEvent('RunAccepted', {
    runId: 'run-1',
    requestId: 'r',
    requestHash: 'h',
    principal: null,
    labels: {},
    runKey: 'key',
    program: { kind: 'plan', steps: [{ id: 'write', tool: 't@1', args: ARGS }] },
    input: null,
    tools: {},
    acceptedAt: 0,
    deadlineAt: 1e9,
  }),
  runEvent('StepScheduled', {
    stepId: 'write',
    attempt: 0,
    tool: 't@1',
    policy: 'verifiable',
    queue: 'q',
    partition: 0,
    scheduledAt: 0,
    startBy: 60_000,
    timeoutMs: 1_000,
    key: 'key/write',
    argsHash: argsHash(sha256, ARGS),
    claimsFrom: 0,
    settling: false,
    reservation: {},
  }),
  runEvent('DoubtOpened', {
    stepId: 'write',
    attempt: 0,
    cause: 'session_ended',
    session: 's',
    deadline: 500,
    settledAt: 1_000,
    settleBy: 900_000,
    holds: 'run',
    death: true,
  }),
];
const inDoubt = story.reduce<RunState | undefined>((run, event, seq) => evolve(run, event, seq), undefined) as RunState;

/** Nothing here waits for time: what is under way has ended after some turns of the event loop. */
const allTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const world = (answer: Answer | (() => Promise<Answer>)) => {
  const cluster = new MemoryCluster();
  cluster.create({ name: names.verdicts, partitions: 4 });
  const log = createMemoryLog(cluster);
  const asked: Parameters<Witness>[0][] = [];
  const time = { now: 5_000, isBorneOut: true, takenTo: 0 };
  let run: RunState | undefined = inDoubt;
  const reconciler = new Reconciler({
    settings: defaultSettings('me'),
    rules: RULES,
    witness: (question) => {
      asked.push(question);
      return typeof answer === 'function' ? answer() : Promise.resolve(answer);
    },
    log,
    verdictsTopic: names.verdicts,
    clock: {
      now: () => time.now,
      get isBorneOut() {
        return time.isBorneOut;
      },
    },
    digest: sha256,
    logger: silentLogger,
    failpoint: () => undefined,
    runOf: () => run,
    verdictsTakenTo: () => time.takenTo,
  });
  const verdicts = async (): Promise<Verdict['data'][]> => {
    await allTurns();
    const fetched = await log.read(names.verdicts, LANE, 0);
    if (fetched.outcome !== 'fetched') throw new Error('no verdicts');
    return fetched.records.map(({ value }) => {
      const decoded = decode(verdictKind, value);
      if (!decoded.ok) throw new Error(decoded.problem);
      return decoded.message.data;
    });
  };
  const settle = (): void => {
    run = undefined;
    reconciler.runSeen(LANE, 'run-1');
  };
  return { reconciler, log, asked, time, verdicts, settle };
};

describe('the reconciler around its machine', () => {
  it('asks the tool with the arguments rebuilt from history and writes the verdict on the lane', async () => {
    const { reconciler, asked, verdicts } = world({ verdict: 'absent', evidence });
    reconciler.laneSeen(LANE, [inDoubt]);
    expect(await verdicts()).toEqual([
      {
        attemptId: 'run-1/write/0',
        runId: 'run-1',
        stepId: 'write',
        attempt: 0,
        doubtSeq: 2,
        verdict: 'absent',
        askedAt: 5_000,
        probe: 1,
        judgedBy: 'me',
        evidence,
      },
    ]);
    expect(asked).toMatchObject([{ tool: 't@1', args: ARGS, key: 'key/write' }]);
  });

  it('writes the same bytes again when the log did not answer', async () => {
    const { reconciler, log, time, verdicts } = world({ verdict: 'applied', result: 1, evidence });
    log.faults.nextAppend('answer_lost');
    reconciler.laneSeen(LANE, [inDoubt]);
    expect(await verdicts()).toHaveLength(1);
    await allTurns();
    time.now += 5_000;
    reconciler.tick();
    const written = await verdicts();
    expect(written).toHaveLength(2);
    expect(written[1]).toEqual(written[0]);
  });

  it('stops a question whose doubt is settled, and drops its answer', async () => {
    const answers: ((answer: Answer) => void)[] = [];
    const { reconciler, asked, settle, verdicts } = world(() => new Promise((resolve) => answers.push(resolve)));
    reconciler.runSeen(LANE, 'run-1');
    await verdicts();
    settle();
    expect(asked[0]?.signal.aborted).toBe(true);
    answers[0]?.({ verdict: 'absent', evidence });
    expect(await verdicts()).toEqual([]);
    expect(reconciler.counts()).toEqual({ doubts: 0, asking: 0 });
  });

  it('writes no absent by a clock that was not borne out, and asks again when it was', async () => {
    const { reconciler, asked, time, verdicts } = world({ verdict: 'absent', evidence });
    time.isBorneOut = false;
    reconciler.laneSeen(LANE, [inDoubt]);
    expect(await verdicts()).toEqual([]);
    time.isBorneOut = true;
    reconciler.tick();
    expect(await verdicts()).toHaveLength(1);
    expect(asked).toHaveLength(2);
  });

  it('asks again when its verdict was taken and the doubt is still open', async () => {
    const { reconciler, time, verdicts } = world({ verdict: 'absent', evidence });
    reconciler.laneSeen(LANE, [inDoubt]);
    await verdicts();
    const tick = (): void => {
      time.now += 60_000;
      reconciler.tick();
    };
    tick();
    tick();
    expect(await verdicts()).toHaveLength(1);
    time.takenTo = 1;
    tick();
    tick();
    expect((await verdicts()).map(({ probe }) => probe)).toEqual([1, 2]);
  });

  it('takes a witness that throws as unknown', async () => {
    const { reconciler, verdicts } = world(() => Promise.reject(new Error('broken')));
    reconciler.laneSeen(LANE, [inDoubt]);
    expect(await verdicts()).toMatchObject([
      { verdict: 'unknown', evidence: { summary: expect.stringContaining('broken') } },
    ]);
  });

  it('stops asking when it is stopped', async () => {
    const { reconciler, asked, verdicts } = world(() => new Promise<Answer>(() => undefined));
    reconciler.laneSeen(LANE, [inDoubt]);
    await verdicts();
    reconciler.stop();
    expect(asked[0]?.signal.aborted).toBe(true);
    reconciler.runSeen(LANE, 'run-1');
    expect(asked).toHaveLength(1);
  });
});
