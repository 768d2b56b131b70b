import type { Focus } from './scenario/generate.js';

export type Mutant = {
  /** The rule that is looked for, and those that would stand in for it: switched off together. */
  readonly rules: readonly [string, ...string[]];
  readonly focus: Focus;
  /** The first seed to try. */
  readonly from: number;
};

const effects = ['verifiable', 'unprotected'] as const;

const twoOfEach = { coordinators: [2, 2], executors: [2, 2], reconcilers: [1, 1], lanes: [1, 1] } as const;

/** One worker whose calls take long, on one partition, and everybody around it who may take it for dead. */
const zombies = {
  ...twoOfEach,
  partitions: [1, 1],
  runs: [1, 2],
  tools: effects,
  trouble: [0.3],
  slowCalls: [0.4],
  timeoutMs: [4_000],
  faults: [3, 6],
  cancelled: 0,
} as const;

/** Nothing goes wrong but what the search is about. */
const calm = {
  trouble: [0],
  slowMs: [50],
  faults: [0, 0],
  hasty: [0],
  cancelled: 0,
  lacks: {},
  tools: effects,
} as const;

/** Calls under a key that take so long, and go wrong so often, that the key may be forgotten. */
const forgottenKeys = {
  ...zombies,
  tools: ['keyed-blind'],
  keyTtlMs: [13_000],
  trouble: [0.6],
  slowCalls: [0.9],
  cancelled: 0,
  faults: [5, 9],
  faulty: ['worker/timer/kill', 'executor/*/freeze'],
} as const;

/** Coordinators that hear nothing of living sessions for a while. */
const unheard = {
  ...zombies,
  slowMs: [7_000],
  slowOften: [1],
  slowGate: 'deliver heartbeats',
  faults: [4, 8],
  faulty: ['coordinator/*/away'],
  losses: [0, 0],
  slowCalls: [0.9],
} as const;

/** Every rule, with the kind of scenario in which it is worth looking for what happens without it. */
export const MUTANTS: readonly Mutant[] = [
  // The lane.
  { rules: ['coordinator.sameBytes'], focus: { lossy: ['coordinator/run-events/*'], losses: [2, 4] }, from: 1 },
  {
    rules: ['coordinator.tryAgain'],
    focus: { ...twoOfEach, faults: [3, 6], faulty: ['coordinator/*/unseat', 'coordinator/*/freeze'], runs: [2, 3] },
    from: 1,
  },
  { rules: ['coordinator.reactAgain'], focus: { faults: [2, 5], faulty: ['coordinator/*/kill'] }, from: 1 },
  // Attempts, claims and closing.
  { rules: ['coordinator.newAttemptId'], focus: { trouble: [0.3] }, from: 1 },
  { rules: ['coordinator.closeAtStartBy'], focus: { faulty: ['executor/*/*', 'worker/*/*'] }, from: 1 },
  {
    rules: ['coordinator.closeBeforeNeverStarted'],
    focus: {
      tools: effects,
      lossy: ['worker/step-claims/held', 'coordinator/step-claims/lost'],
      faulty: ['coordinator/deliver step-claims/lag', 'coordinator/deliver step-journal/lag'],
      cancelled: 0.5,
    },
    from: 1,
  },
  {
    rules: ['coordinator.wholeRange'],
    focus: {
      ...zombies,
      faults: [4, 8],
      faulty: ['coordinator/*/kill', 'worker/*/freeze', 'executor/*/freeze_machine'],
      slowCalls: [0.8],
      cancelled: 0.6,
    },
    from: 1,
  },
  {
    rules: ['coordinator.refusalAsksOnly'],
    focus: {
      ...zombies,
      tools: ['verifiable'],
      lacks: { 'executor-2': ['verifiable'] },
      faulty: ['executor/*/unseat', 'executor/*/kill_machine'],
    },
    from: 1,
  },
  { rules: ['session.claimBeforeCall'], focus: {}, from: 1 },
  { rules: ['session.firstClaimWins'], focus: {}, from: 1 },
  { rules: ['session.closedObeyed'], focus: {}, from: 1 },
  {
    rules: ['session.claimsFromObeyed'],
    focus: {
      ...zombies,
      faults: [4, 8],
      faulty: ['executor/receive from worker/swap', 'executor/receive from worker/unseat'],
      slowCalls: [0.8],
      losses: [4, 8],
      lossy: ['coordinator/step-commands/held'],
      runs: [3, 3],
    },
    from: 1,
  },
  { rules: ['session.gapIsRead'], focus: {}, from: 1 },
  {
    rules: ['session.rangeNeverShortened'],
    focus: {
      ...zombies,
      faults: [4, 8],
      faulty: ['executor/*/swap'],
      slowOften: [0.5],
      slowMs: [5_000],
      slowGate: 'send step-claims',
      trouble: [0],
    },
    from: 1,
  },
  {
    rules: ['session.oneCallPerClaim'],
    focus: { lossy: ['coordinator/step-commands/twice', 'coordinator/step-commands/answer_lost'], losses: [2, 4] },
    from: 1,
  },
  {
    rules: ['session.repeatUntilSeen'],
    focus: { ...calm, lossy: ['worker/step-claims/lost'], losses: [2, 4] },
    from: 1,
  },
  {
    rules: ['session.sameDeadlineInRepeats'],
    focus: { ...calm, lossy: ['worker/step-claims/lost', 'worker/step-claims/answer_lost'], losses: [2, 4] },
    from: 1,
  },
  {
    rules: ['session.claimOnlyWhatCanStart'],
    focus: { ...calm, losses: [0, 0], slowCalls: [0.8], timeoutMs: [4_000], concurrency: [1] },
    from: 1,
  },
  {
    rules: ['session.checksBeforeCall'],
    focus: {
      ...zombies,
      timeoutMs: [1_500],
      faults: [6, 9],
      faulty: ['worker/answer step-claims/freeze', 'worker/deliver step-claims/freeze'],
    },
    from: 1,
  },
  {
    rules: ['session.heartbeatFresh'],
    focus: { ...zombies, faulty: ['executor/*/away', 'executor/send heartbeats/freeze'] },
    from: 1,
  },
  { rules: ['session.onlyHolderTestifies'], focus: {}, from: 1 },
  {
    rules: ['session.dropPastStartBy'],
    focus: { ...zombies, faults: [5, 9], faulty: ['executor/*/kill_machine', 'executor/*/freeze_machine'] },
    from: 1,
  },
  {
    rules: ['session.pureReportedFirst'],
    focus: {
      tools: ['pure'],
      trouble: [0],
      slowCalls: [0.9],
      timeoutMs: [1_500],
      lacks: {},
      losses: [0, 0],
      faults: [1, 2],
      faulty: ['worker/timer/kill'],
      cancelled: 0,
    },
    from: 1,
  },
  {
    rules: ['session.lostRecordsAreDefects'],
    focus: {
      tools: effects,
      faults: [4, 8],
      faulty: ['coordinator/timer/lose', 'executor/*/kill_machine'],
      runs: [3, 3],
      steps: [4, 4],
    },
    from: 1,
  },
  // Who is alive.
  {
    rules: ['coordinator.leaseIsALevel'],
    focus: {
      ...zombies,
      slowMs: [50],
      losses: [0, 0],
      slowOften: [0.3],
      faults: [4, 8],
      faulty: ['worker/answer step-claims/kill'],
    },
    from: 1,
  },
  { rules: ['coordinator.noLeaseWhileNotReading', 'coordinator.expiryIsConfirmed'], focus: unheard, from: 1 },
  { rules: ['coordinator.expiryIsConfirmed', 'coordinator.noLeaseWhileNotReading'], focus: unheard, from: 1 },
  {
    rules: ['coordinator.journalBeforeDoubt'],
    focus: {
      ...zombies,
      slowOften: [0.3],
      losses: [0, 0],
      faults: [5, 9],
      faulty: ['worker/answer step-journal/kill'],
    },
    from: 1,
  },
  {
    rules: ['coordinator.answersBeforeExpiry'],
    focus: {
      ...twoOfEach,
      asked: 0.8,
      slowMs: [1_500],
      slowOften: [0.5],
      slowGate: 'deliver run-requests',
      faulty: ['coordinator/deliver run-requests/lag', 'coordinator/*/unseat', 'coordinator/*/kill'],
      faults: [2, 5],
      cancelled: 0,
    },
    from: 1,
  },
  // Doubts and verdicts.
  {
    rules: ['coordinator.settleWindow'],
    focus: {
      ...zombies,
      tools: ['unprotected'],
      hasty: [1],
      faults: [5, 9],
      faulty: ['worker/timer/kill', 'worker/send step-journal/kill'],
    },
    from: 1,
  },
  {
    rules: ['coordinator.verdictsOnlyInDoubt', 'coordinator.settleWindow'],
    focus: {
      ...zombies,
      hasty: [0],
      tools: ['verifiable'],
      lossy: ['reconciler/effect-verdicts/held'],
      losses: [3, 6],
    },
    from: 1,
  },
  {
    rules: ['coordinator.unknownWaitsForDeadline'],
    focus: { ...zombies, tools: ['verifiable'], faults: [0, 2] },
    from: 1,
  },
  { rules: ['coordinator.hold'], focus: { faulty: ['worker/*/kill'] }, from: 1 },
  {
    rules: ['coordinator.outcomeSpeaksForItself'],
    focus: { tools: ['keyed', 'keyed-blind'], faulty: ['worker/*/*', 'executor/*/*'] },
    from: 1,
  },
  { rules: ['coordinator.keyWindow', 'session.keyWindowChecked'], focus: forgottenKeys, from: 1 },
  { rules: ['session.keyWindowChecked', 'coordinator.keyWindow'], focus: forgottenKeys, from: 1 },
  {
    rules: ['reconciler.absentOnlyAfterSettled', 'coordinator.settleWindow'],
    focus: { ...zombies, tools: ['verifiable'], hasty: [0] },
    from: 1,
  },
  { rules: ['reconciler.oneDefinitiveVerdict'], focus: { tools: ['verifiable'] }, from: 1 },
  {
    rules: ['reconciler.askedAtBeforeQuestion', 'reconciler.absentOnlyAfterSettled'],
    focus: { ...zombies, tools: ['verifiable'], hasty: [0] },
    from: 1,
  },
  {
    rules: ['reconciler.onlyWhileInDoubt'],
    focus: {
      ...zombies,
      tools: ['verifiable'],
      slowMs: [50],
      reconcilers: [1, 1],
      losses: [0, 0],
      faults: [5, 9],
      slowCalls: [0.9],
      faulty: ['executor/*/away', 'executor/*/freeze'],
    },
    from: 1,
  },
];

/** Rules whose lack no search can show, with the reason: only a scripted schedule does. */
export const SCRIPTED_ONLY: Readonly<Record<string, string>> = {
  'coordinator.pauseCloses': 'nobody pauses a run in these histories',
  'coordinator.wordsClimb': 'no worker that keeps the other rules says two such words about one attempt',
};
