import type { DeadLetterView, ExecutorView, LaneView } from '@holdfast/api';

const executor = (number: number, now: number): ExecutorView => ({
  executor: `executor-${number}`,
  alive: number < 3,
  lastBeatAt: number < 3 ? now - 300 : now - 42_000,
  sessions: [
    { session: `executor-${number}/worker-1`, state: 'ended' },
    { session: `executor-${number}/worker-2`, state: number < 3 ? 'open' : 'draining' },
  ],
  queues: [{ queue: 'default', partitions: number === 1 ? [0, 2] : [1, 3], slots: 32, free: number === 1 ? 9 : 28 }],
  tools: ['read-document@1', 'file-document@1', 'summarise-document@1'],
});

const lane = (number: number, now: number): LaneView => ({
  lane: number,
  epoch: 4 + (number % 3),
  owner: number === 7 ? null : `coordinator-${(number % 2) + 1}-6f3a`,
  ownerBeatAt: number === 7 ? null : now - 250,
  end: 36_000 + number * 811,
  projected: 36_000 + number * 811 - (number === 3 ? 1_240 : 0),
  lagRecords: number === 3 ? 1_240 : 0,
  lagMs: number === 3 ? 3_400 : 0,
  requestsWaiting: number === 7 ? 5 : 0,
  runsOpen: (number * 5) % 9,
  broken: number === 7 ? 'acknowledged records are gone at offset 41,882' : null,
});

const letter = (number: number, now: number): DeadLetterView => ({
  id: `3/${number}`,
  topic: 'holdfast.run-requests',
  partition: 3,
  offset: number,
  key: number === 2 ? null : `run-${number}`,
  code: ['not_json', 'unknown_type', 'invalid'][number % 3] ?? 'invalid',
  reason: 'the value is no JSON: unexpected end after 41 characters',
  by: 'coordinator-1',
  at: now - number * 3_600_000,
  bytes: 2_048 * number + 41,
  sentAgain: number === 2 ? 1 : 0,
  sentAgainBy: number === 2 ? 'ada' : null,
});

export const letterValue = {
  encoding: 'utf8' as const,
  text: '{"specversion":"1.0","type":"SubmitRun","data":{"runId":"x"',
};

export const clusterParts = (now: number) => ({
  executors: [1, 2, 3].map((number) => executor(number, now)),
  lanes: Array.from({ length: 12 }, (_, number) => lane(number, now)),
  deadLetters: [1, 2, 3].map((number) => letter(number, now)),
});
