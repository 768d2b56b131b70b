import { DEFAULTS } from '@holdfast/events';

const DAY = 86_400_000;
const SNAPSHOT_SEGMENT_BYTES = 64 * 1024 * 1024;

/** Names of all topics under one namespace (`HOLDFAST_NAMESPACE`, default `holdfast`). */
export const topicNames = (namespace: string) => {
  const name = (topic: string) => `${namespace}.${topic}`;
  return {
    requests: name('run-requests'),
    replies: name('run-replies'),
    history: name('run-events'),
    journal: name('step-journal'),
    verdicts: name('effect-verdicts'),
    heartbeats: name('heartbeats'),
    aborts: name('run-aborts'),
    tools: name('tools'),
    snapshots: name('run-snapshots'),
    deadLetters: name('dead-letters'),
    cluster: name('cluster'),
    commands: (queue: string) => name(`step-commands.${queue}`),
    claims: (queue: string) => name(`step-claims.${queue}`),
    laneSeats: (role: 'coordinator' | 'reconciler' | 'gateway') => name(`seats.${role}`),
    queueSeats: (queue: string) => name(`seats.queue.${queue}`),
    group: (role: string) => name(`group.${role}`),
    commandsPrefix: name('step-commands.'),
  };
};
export type TopicNames = ReturnType<typeof topicNames>;

export type TopicPlan = {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
  readonly retentionMs: number;
  readonly bytesMax?: number;
  readonly segmentBytes?: number;
};

/** The topics every service needs, with what must hold for them. Lane topics are never compacted: the rules rest on unbroken offsets. */
export const lanePlan = (names: TopicNames, lanes: number = DEFAULTS.lanes): readonly TopicPlan[] => [
  plan(names.requests, lanes, 7 * DAY),
  plan(names.replies, lanes, 7 * DAY),
  plan(names.history, lanes, -1),
  plan(names.journal, lanes, 30 * DAY),
  plan(names.verdicts, lanes, 30 * DAY),
  plan(names.heartbeats, 1, DAY / 24),
  plan(names.aborts, 1, DAY),
  { ...plan(names.tools, 1, -1), cleanup: 'compact' },
  { ...plan(names.cluster, 1, -1), cleanup: 'compact' },
  // What a slot held before goes only when its segment is closed.
  { ...plan(names.snapshots, lanes, -1), cleanup: 'compact', segmentBytes: SNAPSHOT_SEGMENT_BYTES },
  // Holds records of the others whole, as base64 of their bytes at worst.
  { ...plan(names.deadLetters, lanes, 30 * DAY), bytesMax: 1_048_588 + 64 * 1024 },
  plan(names.laneSeats('coordinator'), lanes, DAY),
  plan(names.laneSeats('reconciler'), lanes, DAY),
  plan(names.laneSeats('gateway'), lanes, DAY),
];

/** The topics of one queue. */
export const queuePlan = (names: TopicNames, queue: string, partitions: number): readonly TopicPlan[] => [
  plan(names.commands(queue), partitions, 7 * DAY),
  plan(names.claims(queue), partitions, 7 * DAY),
  plan(names.queueSeats(queue), partitions, DAY),
];

const plan = (name: string, partitions: number, retentionMs: number): TopicPlan => ({
  name,
  partitions,
  cleanup: 'delete',
  retentionMs,
});
