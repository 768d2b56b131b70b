import type { Focus } from './scenario/generate.js';

export type Mutant = {
  /** Switched off together: more than one where the others would still stand in for the first. */
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
  timeoutMs: [4_000],
  faults: [3, 6],
  cancelled: 0,
} as const;

/** Every rule, with the kind of scenario in which it is worth looking for what happens without it. */
export const MUTANTS: readonly Mutant[] = [
  { rules: ['coordinator.sameBytes'], focus: { lossy: ['coordinator/run-events/*'], losses: [2, 4] }, from: 1 },
  {
    rules: ['coordinator.tryAgain'],
    focus: { ...twoOfEach, faulty: ['coordinator/*/*'], lossy: ['coordinator/run-events/held'] },
    from: 1,
  },
  { rules: ['coordinator.reactAgain'], focus: { faulty: ['coordinator/*/kill'] }, from: 1 },
  {
    rules: ['coordinator.settleWindow'],
    focus: {
      ...zombies,
      hasty: [1],
      faulty: ['executor/*/freeze', 'executor/send heartbeats/away', 'worker/*/freeze'],
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
    rules: ['coordinator.refusalAsksOnly'],
    focus: {
      ...zombies,
      tools: ['verifiable'],
      lacks: { 'executor-2': ['verifiable'] },
      faulty: ['executor/*/unseat', 'executor/*/kill_machine'],
    },
    from: 1,
  },
  { rules: ['coordinator.hold'], focus: { faulty: ['worker/*/kill'] }, from: 1 },
  {
    rules: ['coordinator.keyWindow', 'session.keyWindowChecked'],
    focus: {
      ...zombies,
      tools: ['keyed-blind'],
      keyTtlMs: [13_000],
      faulty: ['executor/*/freeze', 'worker/*/freeze', 'worker/*/away'],
    },
    from: 1,
  },
  {
    rules: ['coordinator.outcomeSpeaksForItself'],
    focus: { tools: ['keyed', 'keyed-blind'], faulty: ['worker/*/*', 'executor/*/*'] },
    from: 1,
  },
  { rules: ['coordinator.closeAtStartBy'], focus: { faulty: ['executor/*/*', 'worker/*/*'] }, from: 1 },
  {
    rules: ['coordinator.unknownWaitsForDeadline'],
    focus: { ...zombies, tools: ['verifiable'], trouble: [0.3], cancelled: 0.5, faults: [0, 2] },
    from: 1,
  },
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
      faulty: ['coordinator/*/kill', 'worker/*/freeze', 'executor/*/freeze_machine'],
      cancelled: 0.5,
    },
    from: 1,
  },
  { rules: ['coordinator.newAttemptId'], focus: { trouble: [0.3] }, from: 1 },
  {
    rules: ['coordinator.wordsClimb', 'session.oneCallPerClaim'],
    focus: { ...zombies, lossy: ['coordinator/step-commands/*'] },
    from: 1,
  },
  { rules: ['coordinator.leaseIsALevel'], focus: { ...zombies, faulty: ['worker/*/kill'] }, from: 1 },
  {
    rules: ['coordinator.noLeaseWhileNotReading', 'coordinator.expiryIsConfirmed'],
    focus: { ...zombies, faulty: ['coordinator/*/away'] },
    from: 1,
  },
  {
    rules: ['coordinator.expiryIsConfirmed'],
    focus: { ...zombies, faulty: ['coordinator/*/away', 'coordinator/*/freeze'] },
    from: 1,
  },
  {
    rules: ['coordinator.journalBeforeDoubt'],
    focus: { ...zombies, slowMs: [1_500], faulty: ['worker/*/kill'] },
    from: 1,
  },
  { rules: ['session.claimBeforeCall'], focus: {}, from: 1 },
  { rules: ['session.firstClaimWins'], focus: {}, from: 1 },
  { rules: ['session.closedObeyed'], focus: {}, from: 1 },
  {
    rules: ['session.claimsFromObeyed'],
    focus: { ...zombies, faulty: ['executor/*/unseat', 'executor/*/freeze_machine', 'executor/*/kill_machine'] },
    from: 1,
  },
  { rules: ['session.gapIsRead'], focus: {}, from: 1 },
  {
    rules: ['session.rangeNeverShortened'],
    focus: { ...zombies, faulty: ['executor/*/unseat'], lossy: ['coordinator/step-commands/*'] },
    from: 1,
  },
  {
    rules: ['session.oneCallPerClaim'],
    focus: { lossy: ['coordinator/step-commands/twice', 'coordinator/step-commands/answer_lost'], losses: [2, 4] },
    from: 1,
  },
  {
    rules: ['session.repeatUntilSeen'],
    focus: {
      trouble: [0],
      slowMs: [50],
      faults: [0, 0],
      hasty: [0],
      cancelled: 0,
      lacks: {},
      tools: effects,
      lossy: ['worker/step-claims/lost'],
      losses: [2, 4],
    },
    from: 1,
  },
  {
    rules: ['session.sameDeadlineInRepeats'],
    focus: {
      ...zombies,
      faults: [0, 3],
      lossy: ['worker/step-claims/answer_lost', 'worker/step-claims/twice'],
      losses: [2, 5],
    },
    from: 1,
  },
  {
    rules: ['session.claimOnlyWhatCanStart'],
    focus: { trouble: [0.3], timeoutMs: [4_000], faults: [0, 0], slowMs: [50] },
    from: 1,
  },
  {
    rules: ['session.checksBeforeCall'],
    focus: { ...zombies, faulty: ['worker/answer step-claims/freeze', 'worker/answer step-claims/away'] },
    from: 1,
  },
  {
    rules: ['session.keyWindowChecked', 'coordinator.keyWindow'],
    focus: { ...zombies, tools: ['keyed-blind'], keyTtlMs: [13_000] },
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
    focus: { faulty: ['worker/*/freeze', 'executor/*/freeze_machine', 'executor/*/kill'] },
    from: 1,
  },
  { rules: ['session.pureReportedFirst'], focus: { tools: ['pure'], faulty: ['worker/*/kill'] }, from: 1 },
  { rules: ['session.lostRecordsAreDefects'], focus: {}, from: 1 },
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
  { rules: ['reconciler.onlyWhileInDoubt'], focus: { tools: ['verifiable'] }, from: 1 },
];
