import { actsAfterAll, effects, forgottenKeys, twoOfEach, unheard, zombies } from './focus.js';
import type { Mutant } from './mutant.js';

export const coordinatorMutants: readonly Mutant[] = [
  // The lane.
  {
    rules: ['coordinator.sameBytes'],
    breaks: ['historyIsSound', 'noLaneStops'],
    focus: { lossy: ['coordinator/run-events/*'], losses: [2, 4] },
    from: 1,
  },
  {
    rules: ['coordinator.tryAgain'],
    breaks: ['everyLaneIsLed', 'everyRunEnds', 'everyRequestIsAnswered'],
    focus: { ...twoOfEach, faults: [3, 6], faulty: ['coordinator/*/unseat', 'coordinator/*/freeze'], runs: [2, 3] },
    from: 1,
  },
  {
    rules: ['coordinator.reactAgain'],
    breaks: ['everyRequestIsAnswered', 'everyRunEnds'],
    focus: {
      coordinators: [2, 2],
      runs: [3, 3],
      faults: [4, 8],
      faulty: [
        'coordinator/answer run-events/kill',
        'coordinator/send step-commands/kill',
        'coordinator/send run-replies/kill',
      ],
    },
    from: 1,
  },
  // Attempts, claims and closing.
  { rules: ['coordinator.newAttemptId'], breaks: ['attemptOnce', 'everyRunEnds'], focus: { trouble: [0.3] }, from: 1 },
  {
    rules: ['coordinator.closeAtStartBy'],
    breaks: ['everyRunEnds'],
    focus: { executors: [1, 1], tools: effects, faults: [4, 8], faulty: ['executor/*/kill_machine'] },
    from: 10,
  },
  {
    rules: ['coordinator.closeBeforeNeverStarted'],
    breaks: actsAfterAll,
    focus: {
      tools: effects,
      slowGate: 'deliver step-claims',
      slowMs: [7_000],
      slowOften: [0.5],
      slowCalls: [0.8],
      timeoutMs: [4_000],
      cancelled: 0.5,
    },
    from: 10,
  },
  {
    rules: ['coordinator.wholeRange'],
    breaks: actsAfterAll,
    focus: {
      ...zombies,
      faults: [4, 8],
      faulty: ['coordinator/*/kill', 'worker/*/freeze', 'executor/*/freeze_machine'],
      slowCalls: [0.8],
      cancelled: 0.6,
    },
    from: 10,
  },
  {
    rules: ['coordinator.refusalAsksOnly'],
    breaks: actsAfterAll,
    focus: {
      ...zombies,
      tools: ['verifiable'],
      lacks: { 'executor-2': ['verifiable'] },
      faulty: ['executor/*/unseat', 'executor/*/kill_machine'],
    },
    from: 1,
  },
  // Who is alive.
  {
    rules: ['coordinator.leaseIsALevel'],
    breaks: ['theDeadAreNoticed'],
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
  {
    rules: ['coordinator.noLeaseWhileNotReading', 'coordinator.expiryIsConfirmed'],
    breaks: ['theLivingAreNotDeclaredDead'],
    focus: unheard,
    from: 1,
  },
  {
    rules: ['coordinator.expiryIsConfirmed', 'coordinator.noLeaseWhileNotReading'],
    breaks: ['theLivingAreNotDeclaredDead'],
    focus: unheard,
    from: 1,
  },
  {
    rules: ['coordinator.journalBeforeDoubt'],
    breaks: ['noNeedlessDoubt'],
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
    breaks: ['answersInTimeCount'],
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
    breaks: actsAfterAll,
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
    breaks: actsAfterAll,
    focus: {
      ...zombies,
      reconcilers: [2, 2],
      tools: ['verifiable'],
      hasty: [0],
      trouble: [0.6],
      slowCalls: [0.8],
      faulty: ['worker/timer/kill'],
      lossy: ['reconciler/effect-verdicts/held', 'reconciler/effect-verdicts/twice'],
      losses: [6, 10],
    },
    from: 1,
  },
  {
    rules: ['coordinator.unknownWaitsForDeadline'],
    breaks: actsAfterAll,
    focus: { ...zombies, tools: ['verifiable'], faults: [0, 2] },
    from: 1,
  },
  { rules: ['coordinator.hold'], breaks: ['heldRunWaits'], focus: { faulty: ['worker/*/kill'] }, from: 1 },
  {
    rules: ['coordinator.outcomeSpeaksForItself'],
    breaks: actsAfterAll,
    focus: {
      ...zombies,
      tools: ['keyed-blind'],
      keyTtlMs: [600_000],
      trouble: [0.6],
      faults: [4, 8],
      faulty: ['worker/*/kill', 'executor/*/kill_machine'],
      slowGate: 'send step-claims',
      slowMs: [7_000],
      slowOften: [0.5],
    },
    from: 1,
  },
  {
    rules: ['coordinator.keyWindow', 'session.keyWindowChecked'],
    breaks: ['keyOutlastsCall'],
    focus: forgottenKeys,
    from: 1,
  },
];
